#pragma once

#include <cstdint>
#include <map>
#include <string_view>

namespace svc::runner {

/// The real user id in a `/proc/PID/status`; -1 for a process that is dead or being taken down. Pure.
std::int64_t living_user(std::string_view status);

/// How many living processes of this machine each user has. Of what /proc shows: root sees all.
std::map<std::int64_t, std::int64_t> living_users();

}  // namespace svc::runner
