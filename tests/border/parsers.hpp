#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::test {

/// Feeds the guards and the target parser with the bytes of a connection, which arrive in two pieces. Returns one
/// word for each message, separated by commas: "ok", "target" (refused by the target parser, the connection
/// continues) or "refused STATUS" (no message follows). The last word is "more" if a message is incomplete. A message
/// whose head closes the connection ends with "closed".
std::string play_parsers(std::string_view bytes, std::size_t cut);

}  // namespace svc::test
