// W3C Trace Context (https://www.w3.org/TR/trace-context/): which trace a request and what it leads to belong to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc {

/// A valid value of `traceparent`; the views point into it.
struct trace_parent {
  std::string_view trace_id;   ///< 32 lower-case hexadecimal digits, not all zero
  std::string_view parent_id;  ///< 16 of them
  bool sampled = false;

  /// As version 00 writes it, 55 characters: flags that it does not define are 0 (section 3.2.2.5).
  std::string to_string() const;
};

/// By section 3.2.2: of version 00 exactly; of a later one what version 00 defines; 255 is no version. Total.
std::optional<trace_parent> read_trace_parent(std::string_view value);

}  // namespace svc
