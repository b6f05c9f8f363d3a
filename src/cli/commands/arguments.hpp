#pragma once

#include "svc/core/time.hpp"

#include <string>
#include <string_view>

namespace svc::cli {

/// The whole text of a file, or of stdin for `-`. Throws `bad_usage` when it cannot be read, is longer than any body
/// that the service takes, or is not UTF-8.
std::string text_of_file(std::string const& path);

/// A moment that a flag names: RFC 3339, or how long before `now`: `-2h`, `30m`, `7d`, `90s`. As the API reads it.
/// Throws `bad_usage` for anything else.
std::string moment_of(std::string_view text, timestamp now);

}  // namespace svc::cli
