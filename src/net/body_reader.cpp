#include "net/body_reader.hpp"

#include "net/request_body.hpp"

#include <algorithm>
#include <utility>

namespace svc::net {

using http::body_framing;

namespace {

error no_room() {
  return {errc::overloaded,
          "The bodies of this user's requests already use all the memory allowed for them; retry after the time in "
          "Retry-After."};
}

}  // namespace

task<result<http::body_text>> body_reader::read(std::size_t limit, http::body_share share) {
  http::body_text body(std::move(share));
  if (!head_.has_body()) co_return std::move(body);
  if (state_ != body_state::untouched) co_return error(errc::internal_error);
  // Known before any byte of it has arrived, so the client may not need to send it.
  if (head_.framing == body_framing::content_length && head_.content_length > limit) {
    co_return error(errc::body_too_large);
  }
  if (!body.begin()) co_return no_room();
  state_ = body_state::broken;
  if (head_.expect_continue && input_.unread().empty() &&
      !co_await transport_.write_all("HTTP/1.1 100 Continue\r\n\r\n", settings_)) {
    co_return failure_of(arrival::gone);
  }
  auto whole = head_.framing == body_framing::chunked ? co_await read_chunked(limit, std::move(body))
                                                      : co_await read_counted(std::move(body));
  transport_.deadline().nothing_due();
  if (!whole) co_return whole.error();
  whole->finish();
  state_ = body_state::finished;
  co_return std::move(*whole);
}

task<result<http::body_text>> body_reader::read_counted(http::body_text into) {
  body_pace pace(settings_, steady::now());
  auto const length = static_cast<std::size_t>(head_.content_length);
  for (;;) {
    auto const piece = input_.unread().substr(0, length - into.size());
    if (!into.append(piece)) co_return no_room();
    input_.consume(piece.size());
    if (into.size() == length) co_return std::move(into);
    if (auto const arrival = co_await more(pace); arrival != arrival::bytes) co_return failure_of(arrival);
  }
}

task<result<http::body_text>> body_reader::read_chunked(std::size_t limit, http::body_text into) {
  body_pace pace(settings_, steady::now());
  chunked_body decoder(limit);
  for (;;) {
    auto const outcome = decoder.feed(input_.unread());
    input_.consume(outcome.passed);
    if (outcome.verdict == http::verdict::refused) co_return decoder.refusal();
    if (!into.append(decoder.take())) co_return no_room();
    if (outcome.verdict == http::verdict::complete) co_return std::move(into);
    if (auto const arrival = co_await more(pace); arrival != arrival::bytes) co_return failure_of(arrival);
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
    if (outcome.verdict != http::verdict::need_more) co_return outcome.verdict == http::verdict::complete;
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
    // The deadline only means that the pace must be checked, not that it was too slow.
  }
}

error body_reader::failure_of(arrival arrival) {
  if (arrival == arrival::timeout) return errc::request_timeout;
  return {errc::malformed_request, "The connection ended within the body."};
}

}  // namespace svc::net
