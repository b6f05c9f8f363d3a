// W3C Trace Context (https://www.w3.org/TR/trace-context/): which trace a request belongs to.
#pragma once

#include "svc/http/message.hpp"

#include <optional>
#include <string_view>

namespace svc::http {

/// A valid value of `traceparent`; the views point into it.
struct trace_parent {
  std::string_view trace_id;   ///< 32 lower-case hexadecimal digits, not all zero
  std::string_view parent_id;  ///< 16 of them
  bool sampled = false;
};

/// By section 3.2.2: of version 00 exactly; of a later one what version 00 defines; 255 is no version. Total.
std::optional<trace_parent> read_trace_parent(std::string_view value);

/// The trace of a request with exactly one field, and a valid one; empty for all others.
std::string_view trace_id_of(request const& head);

}  // namespace svc::http
