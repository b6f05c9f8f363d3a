#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::runner {

/// Values shorter than this are masked as they are and in no other spelling: those would stand in any text by chance.
inline constexpr std::size_t shortest_encoded_secret = 6;

/// How else a secret may be spelled in a log; empty for one shorter than `shortest_encoded_secret`. About fifty times
/// its length together.
///
/// - base64 (RFC 4648, both alphabets), wherever the secret begins among what is encoded with it: the characters that
/// it
///   determines alone, and those of its end with padding; broken into lines of 64 or 76 when it is encoded alone
/// - hexadecimal, lower or upper case
/// - percent-encoded: as RFC 3986, encodeURIComponent, Python's quote and forms do
/// - inside of a JSON string, with or without \u for what is not ASCII
std::vector<std::string> secret_forms(std::string_view secret);

/// The lines of a longer secret that are long enough to be secret themselves, because programs often join or trim
/// lines.
std::vector<std::string> secret_lines(std::string_view secret);

}  // namespace svc::runner
