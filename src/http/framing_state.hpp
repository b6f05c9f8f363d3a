#pragma once

#include "svc/http/framing_guard.hpp"

#include <string_view>

namespace svc::http {

/// True if the text is a host with an optional port in the form that our clients use: letters, digits and "-._~", or
/// an IPv6 address in brackets. The RFC's reg-name also allows percent escapes and sub-delims (including the comma).
/// No real host name contains them, and they make two hosts look like one.
bool valid_host(std::string_view text);

/// The role of the next byte of a head.
enum class framing_guard::state : std::uint8_t {
  leading,          ///< the first byte: a method, or the CR of an empty line
  leading_lf,       ///< the LF of that empty line
  start,            ///< the method's first byte
  method,           ///< rest of the method, and the space
  target,           ///< target, and the space
  version,          ///< up to the CR
  request_line_lf,  ///< LF; then the request line is checked
  line_start,       ///< a field's first byte, or the CR of the empty line
  name,             ///< rest of the name, and the colon
  value_start,      ///< white space in front of the value
  value,            ///< value, and the CR
  field_lf,         ///< LF; then the field is checked
  head_lf,          ///< LF; then the head is checked
};

}  // namespace svc::http
