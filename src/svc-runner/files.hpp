#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace svc::runner {

/// The whole of a small file, also of /proc; nothing when it cannot be read.
std::optional<std::string> read_text(std::string const& path);
/// One `write`, as control files want it; false when it fails.
bool write_text(std::string const& path, std::string_view text);

/// The real user id in a `/proc/PID/status`; -1 for a process that is dead or being taken down. Pure.
std::int64_t living_user(std::string_view status);

/// How many living processes of this machine each user has. Of what /proc shows: root sees all.
std::map<std::int64_t, std::int64_t> living_users();

}  // namespace svc::runner
