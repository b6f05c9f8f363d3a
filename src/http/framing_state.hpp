#pragma once

#include "svc/http/framing_guard.hpp"

#include <string_view>

namespace svc::http {

/// Whether the text is a host with an optional port as our clients write it: letters, digits and "-._~", or
/// an IPv6 address in brackets. The RFC's reg-name also takes percent escapes and sub-delims (a comma among
/// them), which no real host name holds and which make two hosts look like one.
bool valid_host(std::string_view text);

/// What the next byte of a head is part of.
enum class framing_guard::state : std::uint8_t {
  leading,          ///< the first byte: a method, or the CR of an empty line
  leading_lf,       ///< the LF of that empty line
  start,            ///< the method's first byte
  method,           ///< the rest of it and the space
  target,           ///< and the space
  version,          ///< up to the CR
  request_line_lf,  ///< then the request line is judged
  line_start,       ///< a field's first byte, or the CR of the empty line
  name,             ///< and the colon
  value_start,      ///< white space in front of the value
  value,            ///< and the CR
  field_lf,         ///< then the field is judged
  head_lf,          ///< then the head is judged
};

}  // namespace svc::http
