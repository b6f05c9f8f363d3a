#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// Returns the spellings of a secret when programs print it, by itself or together with other text, for the tests of
/// masking. Each spelling must be masked after a character foreign to it (`<`).
///
/// - base64 (RFC 4648, both alphabets), wherever the secret starts in the encoded text, with and without padding
/// - hexadecimal, lower or upper case
/// - percent-encoded: like RFC 3986, encodeURIComponent, Python's quote, and forms
/// - inside a JSON string, with or without \\u for what is not ASCII
std::vector<std::string> secret_spellings(std::string_view secret);

}  // namespace svc
