#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::test {

/// What our guards and the target parser make of a connection's bytes that come in two pieces: for each message "ok",
/// "target" (refused by the target parser, the connection goes on) or "refused STATUS" (and nothing behind it);
/// "more" at the end when a message is not whole. Separated by commas. A connection that the head closes ends with
/// "closed".
std::string play_parsers(std::string_view bytes, std::size_t cut);

}  // namespace svc::test
