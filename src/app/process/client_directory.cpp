#include "app/process/client_directory.hpp"

#include "svc/core/build_info.hpp"
#include "svc/core/log.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace svc::app {
namespace {

constexpr std::array architectures{"amd64", "arm64"};

/// Nothing if there is no such file.
std::optional<std::string> read_client(std::string const& path) {
  std::error_code failed;
  auto const size = std::filesystem::file_size(path, failed);
  if (failed == std::errc::no_such_file_or_directory) return std::nullopt;
  std::string reason;
  if (failed)
    reason = failed.message();
  else if (size == 0 || size > largest_client)
    reason = "it has " + std::to_string(size) + " bytes";
  std::string bytes(reason.empty() ? static_cast<std::size_t>(size) : 0, '\0');
  if (reason.empty()) {
    std::ifstream file(path, std::ios::binary);
    if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) reason = "it cannot be read";
  }
  if (reason.empty()) return bytes;
  log::warn("a client cannot be served", {{"file", path}, {"why", reason}});
  return std::nullopt;
}

}  // namespace

std::string client_directory(configuration const& config) {
  if (!config.cli.directory.empty()) return config.cli.directory;
  std::error_code failed;
  auto const self = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::string() : (self.parent_path().parent_path() / "lib/svcd/cli").string();
}

api::client_files read_client_files(configuration const& config, std::string_view public_url) {
  if (!config.cli.serve) return {};
  auto const directory = client_directory(config);
  std::vector<api::client_program> found;
  std::string named;
  for (std::string const architecture : architectures) {
    auto bytes = read_client(directory + "/svc-linux-" + architecture);
    if (!bytes) continue;
    named += (named.empty() ? "" : ",") + architecture;
    found.push_back({architecture, std::move(*bytes)});
  }
  if (found.empty())
    log::info("no client is served: there is none in cli.directory", {{"directory", directory}});
  else
    log::info("the client is served", {{"directory", directory}, {"architectures", named}});
  return api::make_client_files(std::move(found), public_url, this_build().version);
}

}  // namespace svc::app
