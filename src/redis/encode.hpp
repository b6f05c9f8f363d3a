#pragma once

#include <span>
#include <string>
#include <string_view>

namespace svc::redis {

/// A command as up to three runs of arguments, so that nobody copies them into one list first. Views only:
/// read while `append_command` runs.
struct command_parts {
  std::span<std::string_view const> head;
  std::span<std::string_view const> keys{};
  std::span<std::string_view const> arguments{};
};

/// Appends the RESP array of bulk strings that Redis takes as a request. Binary-safe.
void append_command(std::string& out, command_parts const& parts);

}  // namespace svc::redis
