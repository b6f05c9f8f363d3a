#include "net/proxy_reader.hpp"

#include <array>
#include <string>

namespace svc::net {
namespace {

/// One look. Bytes are peeked at first, because only the parser knows which are the header's; those are taken, so
/// that the socket is not readable for ever while the rest is on its way.
http::proxy_header step(stream& from, std::string& seen, stream::state& next) {
  std::array<char, 512> block;
  auto const attempt = from.peek(block);
  next = attempt.what;
  if (attempt.what != stream::state::done) return {.what = http::proxy_header::verdict::need_more};
  auto const before = seen.size();
  seen.append(block.data(), attempt.bytes);
  auto header = http::parse_proxy_header(seen);
  if (header.what == http::proxy_header::verdict::refused) return header;
  auto const ours = header.what == http::proxy_header::verdict::complete ? header.size - before : attempt.bytes;
  return from.take(ours) ? header : http::proxy_header{};
}

}  // namespace

task<http::proxy_header> read_proxy_header(transport& from) {
  std::string seen;
  while (!from.deadline().expired()) {
    auto next = stream::state::done;
    auto header = step(from.raw(), seen, next);
    if (next == stream::state::gone || header.what == http::proxy_header::verdict::refused) break;
    if (header.what == http::proxy_header::verdict::complete) co_return header;
    if (next != stream::state::done) co_await from.raw().wait(next);
  }
  co_return http::proxy_header{};
}

}  // namespace svc::net
