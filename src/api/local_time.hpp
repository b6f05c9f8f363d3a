#pragma once

#include "svc/core/time.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace svc::api {

/// Returns the difference to UTC in the form of RFC 3339: `-04:00`.
std::string offset_text(std::chrono::seconds offset);

/// Returns the wall time in the IANA zone with its offset, RFC 3339 with milliseconds:
/// `2026-11-22T03:00:00.000+01:00`. A zone that the system's tzdata does not have counts as UTC.
std::string local_time_text(timestamp moment, std::string_view zone);

}  // namespace svc::api
