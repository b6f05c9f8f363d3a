#include "net/transport.hpp"

#include "net/request_body.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace svc::net {
namespace {

/// After this many bytes the worker's other connections get their turn. Otherwise a client with room for megabytes
/// would delay them for as long as the encryption takes. A client that always has one more byte would delay them
/// forever, its own deadline included.
constexpr std::size_t bytes_in_a_turn = 64UL * 1024;
/// Least charge of an attempt: even a record of one byte must be decrypted.
constexpr std::size_t least_charge = 512;

/// Makes one attempt to read the header. It peeks first, because only the parser knows which bytes belong to the
/// header. It then consumes these bytes, so that the socket does not stay readable while the rest is on its way.
http::proxy_header step(stream& stream, std::string& seen, stream::state& next) {
  std::array<char, 512> block;
  auto const attempt = stream.peek(block);
  next = attempt.state;
  if (attempt.state != stream::state::done) return {.content = http::proxy_header::verdict::need_more};
  auto const before = seen.size();
  seen.append(block.data(), attempt.bytes);
  auto header = http::parse_proxy_header(seen);
  if (header.content == http::proxy_header::verdict::refused) return header;
  auto const ours = header.content == http::proxy_header::verdict::complete ? header.size - before : attempt.bytes;
  return stream.take(ours) ? header : http::proxy_header{};
}

}  // namespace

using state = stream::state;

void transport::charge(stream::attempt const& made) {
  turn_ += std::max(made.bytes, least_charge);
}

bool transport::turn_is_over() const {
  return turn_ >= bytes_in_a_turn;
}

task<> transport::give_way() {
  turn_ = 0;
  co_await asio::post(co_await asio::this_coro::executor, awaiting);
}

task<> transport::wait(state wanted) {
  turn_ = 0;
  co_await stream_.wait(wanted);
}

task<bool> transport::handshake() {
  for (;;) {
    auto const attempt = stream_.try_handshake();
    if (attempt.state == state::done) co_return true;
    if (attempt.state == state::gone || watchdog_.expired()) co_return false;
    co_await stream_.wait(attempt.state);
  }
}

task<> transport::readable() {
  if (!stream_.has_pending()) co_await wait(stream_.read_wants());
}

std::optional<std::size_t> transport::read_now(std::span<char> into) {
  auto const attempt = stream_.try_read(into);
  if (attempt.state == state::gone) return std::nullopt;
  return attempt.state == state::done ? attempt.bytes : 0;
}

task<std::size_t> transport::read_some(std::span<char> into) {
  // Checked before each attempt: a client that always has one more byte must not outlive its deadline.
  while (!watchdog_.expired()) {
    if (turn_is_over()) co_await give_way();
    auto const attempt = stream_.try_read(into);
    charge(attempt);
    if (attempt.state == state::done) co_return attempt.bytes;
    if (attempt.state == state::gone) co_return std::size_t{0};
    co_await wait(attempt.state);
  }
  co_return std::size_t{0};
}

std::optional<std::size_t> transport::write_now(std::string_view bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    auto const attempt = stream_.try_write(bytes.substr(sent));
    if (attempt.state == state::gone) return std::nullopt;
    if (attempt.state != state::done) break;
    sent += attempt.bytes;
  }
  return sent;
}

task<bool> transport::write_all(std::string_view bytes, session_settings const& settings) {
  if (turn_is_over()) co_await give_way();
  auto const attempt = stream_.try_write(bytes);
  charge(attempt);
  if (attempt.state == state::done && attempt.bytes == bytes.size()) co_return true;
  if (attempt.state == state::gone) co_return false;
  co_return co_await write_rest(bytes.substr(attempt.bytes), settings);
}

task<bool> transport::write_rest(std::string_view bytes, session_settings const& settings) {
  body_pace pace(pace_limits::of_responses(settings), steady::now());
  while (!bytes.empty()) {
    if (turn_is_over()) co_await give_way();
    if (pace.too_slow(steady::now())) co_return false;
    watchdog_.due_at(pace.due());
    auto const attempt = stream_.try_write(bytes.substr(0, bytes_in_a_turn));
    charge(attempt);
    if (attempt.state == state::gone) co_return false;
    if (attempt.state == state::done) {
      bytes.remove_prefix(attempt.bytes);
      pace.count(steady::now(), attempt.bytes);
    } else {
      co_await wait(attempt.state);
    }
  }
  co_return true;
}

task<> transport::linger(std::span<char> scratch, steady::duration patience) {
  stream_.shutdown_send();
  watchdog_.due_in(patience);
  while (!watchdog_.expired()) {
    if (turn_is_over()) co_await give_way();
    auto const attempt = stream_.try_discard(scratch);
    charge(attempt);
    if (attempt.state == state::gone) co_return;
    if (attempt.state != state::done) co_await wait(attempt.state);
  }
}

task<http::proxy_header> read_proxy_header(transport& transport) {
  std::string seen;
  while (!transport.deadline().expired()) {
    auto next = stream::state::done;
    auto header = step(transport.raw(), seen, next);
    if (next == stream::state::gone || header.content == http::proxy_header::verdict::refused) break;
    if (header.content == http::proxy_header::verdict::complete) co_return header;
    if (next != stream::state::done) co_await transport.raw().wait(next);
  }
  co_return http::proxy_header{};
}

}  // namespace svc::net
