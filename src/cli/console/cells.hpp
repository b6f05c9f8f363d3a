#pragma once

#include "svc/core/time.hpp"

#include <cstdint>
#include <string>

namespace svc::cli {

/// `12s ago`, `3m ago`, `in 5h`, `40d ago`; further away than 60 days the day of the local time.
std::string relative_time(timestamp t, timestamp now);
/// RFC 3339 in the local time zone, in seconds.
std::string local_time(timestamp t);
/// `850ms`, `1.2s`, `3m 04s`, `2h 05m`.
std::string short_duration(std::int64_t ms);
/// `512 B`, `1.4 MiB`.
std::string short_size(std::uint64_t bytes);

}  // namespace svc::cli
