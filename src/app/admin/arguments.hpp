#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace svc::app::admin {

/// What the options of all commands are parsed into; each command fills its own. Lives as long as the command.
struct arguments {
  std::string config{};
  bool json = false;
  std::string organization{};  ///< id or slug
  std::string project{};       ///< id or organization-slug/project-slug
  std::string user{};          ///< id or e-mail address
  std::string job{};           ///< id
  std::string id{};            ///< of a token or key
  std::string email{};
  std::string name{};
  std::string slug{};
  std::string role{};
  std::string kind = "cli";
  std::string expires_at{};  ///< RFC 3339
  std::optional<std::int64_t> expires_in{};
  std::optional<std::uint32_t> limit{};
  std::optional<std::uint32_t> window{};
  bool dry_run = false;
  std::string file{};
  std::string action{};
  std::int64_t page = 1;
  std::int64_t rows = 50;
};

}  // namespace svc::app::admin
