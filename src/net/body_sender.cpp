#include "net/body_sender.hpp"

#include <boost/asio/post.hpp>

#include <array>
#include <charconv>

namespace svc::net {
namespace {

constexpr std::size_t most_heard = 64UL * 1024;
/// Pieces sent in a row before the worker's other connections get a turn.
constexpr int pieces_in_a_row = 32;

}  // namespace

task<bool> body_sender::send() {
  body_.start([this] {
    if (waiting_) transport_.wake();
  });
  auto const end = body_.finite() ? steady::now() + settings_.write_total : steady::time_point::max();
  for (int in_a_row = 0;; ++in_a_row) {
    if (steady::now() >= end) co_return false;
    auto const piece = body_.next();
    if (!piece.bytes.empty() && !co_await write(piece.bytes)) co_return false;
    if (piece.last) break;
    if (piece.bytes.empty()) {
      if (!co_await wait()) co_return false;
      in_a_row = 0;
    } else if (in_a_row >= pieces_in_a_row) {
      co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable_t<executor>{});
      in_a_row = 0;
    }
  }
  if (chunked_ && !co_await transport_.write_all("0\r\n\r\n", settings_)) co_return false;
  co_return true;
}

/// Writes a chunk (RFC 9112 section 7.1). What the socket does not take at once is copied, because all sessions of
/// the worker share the frame.
task<bool> body_sender::write(std::string_view bytes) {
  frame_.clear();
  if (chunked_) {
    std::array<char, 16> digits;
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), bytes.size(), 16).ptr;
    frame_.append(digits.data(), end).append("\r\n");
  }
  frame_.append(bytes);
  if (chunked_) frame_ += "\r\n";
  bytes_ += frame_.size();
  auto const sent = transport_.write_now(frame_);
  if (!sent) co_return false;
  if (*sent == frame_.size()) co_return true;
  std::string const rest = frame_.substr(*sent);
  co_return co_await transport_.write_all(rest, settings_);
}

/// Waits until the body has something or is due. False when the client has closed the connection or has sent more
/// than `most_heard` bytes.
task<bool> body_sender::wait() {
  transport_.deadline().due_at(body_.due());
  waiting_ = true;
  co_await transport_.readable();
  waiting_ = false;
  std::array<char, 512> unwanted;
  for (;;) {
    auto const [state, count] = transport_.hear(unwanted);
    if (state == stream::state::gone) co_return false;
    if (state != stream::state::done) co_return true;
    heard_ += count;
    if (heard_ > most_heard) co_return false;
  }
}

}  // namespace svc::net
