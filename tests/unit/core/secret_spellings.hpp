#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// How programs spell a secret when it is printed alone or together with other text, for the tests of what masks
/// them. Each must be masked where something foreign to its spelling (`<`) stands before it.
///
/// - base64 (RFC 4648, both alphabets), wherever the secret begins among what is encoded with it, with and without
///   padding
/// - hexadecimal, lower or upper case
/// - percent-encoded: as RFC 3986, encodeURIComponent, Python's quote and forms do
/// - inside of a JSON string, with or without \u for what is not ASCII
std::vector<std::string> secret_spellings(std::string_view secret);

}  // namespace svc
