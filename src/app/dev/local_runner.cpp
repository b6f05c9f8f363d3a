#include "app/dev/local_runner.hpp"

#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace svc::app::dev {
namespace {

constexpr milliseconds for_an_idle_one{500};
constexpr milliseconds for_a_busy_one{5000};

child_process launch(data_directory const& where, std::string const& program, secret_string const& token) {
  auto const token_file = where.file("runner.token");
  write_file(token_file, std::string(token.reveal()) + "\n");
  auto const config = where.file("runner.toml");
  write_file(config, "# Written by `svcd dev` at each start, for its own runner.\nurl = 'unix:" +
                         internal_socket(where) + "'\ntoken_file = '" + token_file + "'\nname = 'dev'\n" +
                         "labels = ['command']\nwork_dir = '" + where.store("runner") + "'\ngrace = '1s'\n");
  return child_process({.program = program,
                        .arguments = {"svc-runner", "--config", config},
                        .log_file = where.file("log/runner.log"),
                        .death_signal = SIGTERM});
}

}  // namespace

std::string internal_socket(data_directory const& where) {
  return where.sockets() + "/internal.sock";
}

std::optional<std::string> find_runner() {
  std::error_code none;
  auto const self = std::filesystem::read_symlink("/proc/self/exe", none);
  if (none) return std::nullopt;
  auto beside = (self.parent_path() / "svc-runner").string();
  if (::access(beside.c_str(), X_OK) != 0) return std::nullopt;
  return beside;
}

local_runner::local_runner(data_directory const& where, std::string const& program, secret_string const& token)
    : process_(launch(where, program, token)) {}

local_runner::~local_runner() {
  // The service is gone, so a run cannot be completed any more. A second SIGTERM ends it at once and leaves nothing.
  process_.send(SIGTERM);
  if (!process_.wait(for_an_idle_one)) process_.stop(SIGTERM, for_a_busy_one);
}

}  // namespace svc::app::dev
