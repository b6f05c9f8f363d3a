#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace svc::http {

/// The value of a number in JSON's grammar: an int64 when it is exactly one (in any spelling; `-0` is 0), else the
/// nearest double; nothing when it is beyond a double's range. What is too small for a double is 0.0.
std::optional<std::variant<std::int64_t, double>> number_value(std::string_view literal);

}  // namespace svc::http
