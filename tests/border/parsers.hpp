#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::test {

/// What our guards and the target parser make of a connection's bytes that arrive in two pieces: for each message
/// "ok", "target" (refused by the target parser, the connection continues) or "refused STATUS" (nothing follows);
/// "more" at the end when a message is incomplete. Separated by commas. A message whose head closes the connection
/// ends with "closed".
std::string play_parsers(std::string_view bytes, std::size_t cut);

}  // namespace svc::test
