#include "net/body_reader.hpp"

#include "net/chunked_body.hpp"

#include <algorithm>

namespace svc::net {

using http::body_framing;
using http::verdict;

task<result<std::string>> body_reader::read(std::size_t limit) {
  if (!head_.has_body()) co_return std::string();
  if (state_ != body_state::untouched) co_return error(errc::internal_error);
  // Known before a byte of it came: the client may be spared to send it.
  if (head_.framing == body_framing::content_length && head_.content_length > limit) {
    co_return error(errc::body_too_large);
  }
  state_ = body_state::broken;
  if (head_.expect_continue && input_.unread().empty() &&
      !co_await transport_.write_all("HTTP/1.1 100 Continue\r\n\r\n", settings_.write)) {
    co_return why(arrival::gone);
  }
  auto body = head_.framing == body_framing::chunked ? co_await read_chunked(limit) : co_await read_counted();
  transport_.deadline().nothing_due();
  if (body) state_ = body_state::finished;
  co_return body;
}

task<result<std::string>> body_reader::read_counted() {
  body_pace pace(settings_, steady::now());
  auto const length = static_cast<std::size_t>(head_.content_length);
  std::string body;
  // A few bytes announced a large body: memory is given as it comes, not as it is promised.
  body.reserve(std::min(length, settings_.drained_body));
  for (;;) {
    auto const piece = input_.unread().substr(0, length - body.size());
    body.append(piece);
    input_.consume(piece.size());
    if (body.size() == length) co_return body;
    if (auto const how = co_await more(pace); how != arrival::bytes) co_return why(how);
  }
}

task<result<std::string>> body_reader::read_chunked(std::size_t limit) {
  body_pace pace(settings_, steady::now());
  chunked_body decoder(limit);
  for (;;) {
    auto const outcome = decoder.feed(input_.unread());
    input_.consume(outcome.passed);
    if (outcome.what == verdict::complete) co_return decoder.take();
    if (outcome.what == verdict::refused) co_return decoder.refusal();
    if (auto const how = co_await more(pace); how != arrival::bytes) co_return why(how);
  }
}

task<bool> body_reader::drain() {
  if (state_ == body_state::finished) co_return true;
  if (!may_drain(head_, state_, settings_.drained_body)) co_return false;
  state_ = body_state::broken;
  auto const drained = head_.framing == body_framing::chunked ? co_await drain_chunked() : co_await drain_counted();
  if (drained) state_ = body_state::finished;
  co_return drained;
}

task<bool> body_reader::drain_counted() {
  body_pace pace(settings_, steady::now());
  auto left = static_cast<std::size_t>(head_.content_length);
  for (;;) {
    auto const dropped = std::min(left, input_.unread().size());
    input_.consume(dropped);
    left -= dropped;
    if (left == 0) co_return true;
    if (co_await more(pace) != arrival::bytes) co_return false;
  }
}

task<bool> body_reader::drain_chunked() {
  body_pace pace(settings_, steady::now());
  http::chunk_guard guard(settings_.drained_body);
  for (;;) {
    auto const outcome = guard.feed(input_.unread());
    input_.consume(outcome.passed);
    if (outcome.what != verdict::need_more) co_return outcome.what == verdict::complete;
    if (co_await more(pace) != arrival::bytes) co_return false;
  }
}

task<body_reader::arrival> body_reader::more(body_pace& pace) {
  for (;;) {
    if (pace.too_slow(steady::now())) co_return arrival::timeout;
    transport_.deadline().due_at(pace.due());
    auto const room = input_.room();
    auto const n = co_await transport_.read_some(room);
    if (n > 0) {
      input_.commit(n);
      pace.count(steady::now(), n);
      co_return arrival::bytes;
    }
    if (!transport_.deadline().expired()) co_return arrival::gone;
    // The pace is due to be looked at, which need not mean that it was too slow.
  }
}

error body_reader::why(arrival how) {
  if (how == arrival::timeout) return errc::request_timeout;
  return {errc::malformed_request, "The connection ended within the body."};
}

}  // namespace svc::net
