// The files that svcd and svc-runner read when --config names none.
#include "support/service.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace svc::test {
namespace {

/// Runs a program that sees nothing of /etc but one file, in a namespace of mounts. Empty `file`: nothing at all.
service with_file_in_etc(std::string const& file, std::string const& path, std::vector<std::string> const& command,
                         std::vector<std::string> const& environment = {}) {
  std::vector<std::string> arguments{"--dev-bind", "/", "/", "--tmpfs", "/etc"};
  if (!file.empty()) arguments.insert(arguments.end(), {"--ro-bind", file, path});
  arguments.insert(arguments.end(), command.begin(), command.end());
  return service(arguments, environment, "/usr/bin/bwrap");
}

std::string runner_program() {
  return (std::filesystem::path(service_binary()).parent_path() / "svc-runner").string();
}

TEST_CASE("svcd without --config reads /etc/svcd/svcd.toml if it exists, and says which file it read") {
  temporary_directory const dir;
  auto const file = dir.write("svcd.toml", "workers = 3\n");
  std::vector<std::string> const variable{"SVC_REDIS_DEADLINE=1s"};
  auto shown = with_file_in_etc(file, "/etc/svcd/svcd.toml", {service_binary(), "print-config"}, variable);
  CHECK(shown.wait() == 0);
  CHECK(shown.out().text().starts_with("# /etc/svcd/svcd.toml, and the variables SVC_*\n"));
  CHECK(shown.out().text().find("\nworkers = 3\n") != std::string::npos);

  auto overridden =
      with_file_in_etc(file, "/etc/svcd/svcd.toml", {service_binary(), "print-config"}, {"SVC_WORKERS=4"});
  CHECK(overridden.wait() == 0);
  CHECK(overridden.out().text().find("\nworkers = 4\n") != std::string::npos);

  auto defaults = with_file_in_etc(file, "/etc/svcd/svcd.toml", {service_binary(), "print-config", "--defaults"},
                                   {"SVC_WORKERS=4"});
  CHECK(defaults.wait() == 0);
  CHECK(defaults.out().text().find("\nworkers = 0\n") != std::string::npos);

  auto const other = dir.write("other.toml", "workers = 5\n");
  auto named =
      with_file_in_etc(file, "/etc/svcd/svcd.toml", {service_binary(), "print-config", "--config", other}, variable);
  CHECK(named.wait() == 0);
  CHECK(named.out().text().starts_with("# " + other + ", and the variables SVC_*\n"));

  auto refused = with_file_in_etc(file, "/etc/svcd/svcd.toml", {service_binary(), "migrate"});
  CHECK(refused.wait() == 2);
  CHECK(refused.err().text() == "svcd: /etc/svcd/svcd.toml: postgres.url: must be set\n");
}

TEST_CASE("without any file, svcd and svc-runner say which one they looked for") {
  auto service_of_nobody = with_file_in_etc("", "", {service_binary(), "migrate"});
  CHECK(service_of_nobody.wait() == 2);
  CHECK(service_of_nobody.err().text() ==
        "svcd: no file was read: /etc/svcd/svcd.toml does not exist, and --config names no other one; `svcd "
        "print-config "
        "--comments` lists all keys and variables\nsvcd: postgres.url: must be set\n");
  auto runner = with_file_in_etc("", "", {runner_program(), "--check-config"});
  CHECK(runner.wait() == 2);
  CHECK(runner.err().text().starts_with("svc-runner: no file was read: /etc/svc-runner/runner.toml does not exist"));
}

TEST_CASE("svc-runner without --config reads /etc/svc-runner/runner.toml if it exists") {
  temporary_directory const dir;
  auto const file = dir.write("runner.toml", "url = 'https://a'\ntoken = 'svc_runner_x'\nconcurrency = 0\n");
  auto runner = with_file_in_etc(file, "/etc/svc-runner/runner.toml", {runner_program(), "--check-config"});
  CHECK(runner.wait() == 2);
  CHECK(runner.err().text() ==
        "svc-runner: /etc/svc-runner/runner.toml:3: concurrency: must be an integer from 1 to 1000\n");
}

}  // namespace
}  // namespace svc::test
