// W3C Trace Context (https://www.w3.org/TR/trace-context/): the trace of a request and of the work that it
// causes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc {

/// A valid value of `traceparent`; the views point into it.
struct trace_parent {
  std::string_view trace_id;   ///< 32 lower-case hexadecimal digits, not all zero
  std::string_view parent_id;  ///< 16 such digits
  bool sampled = false;

  /// Returns the 55 characters of version 00; flags that it does not define are 0 (section 3.2.2.5).
  std::string to_string() const;
};

/// Reads a value by section 3.2.2. It must be exactly version 00, or start like version 00 in a later
/// version; 255 is no version. Total.
std::optional<trace_parent> read_trace_parent(std::string_view value);

}  // namespace svc
