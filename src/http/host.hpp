#pragma once

#include <string_view>

namespace svc::http {

/// Whether the text is a host with an optional port as our clients write it: letters, digits and "-._~", or
/// an IPv6 address in brackets. The RFC's reg-name also takes percent escapes and sub-delims (a comma among
/// them), which no real host name holds and which make two hosts look like one.
bool valid_host(std::string_view text);

}  // namespace svc::http
