#include "net/session.hpp"

#include "net/body_reader.hpp"
#include "net/body_sender.hpp"
#include "net/response_writer.hpp"
#include "net/transport.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/core/random.hpp"
#include "svc/core/time.hpp"
#include "svc/net/session_settings.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace svc::net {

namespace {

/// Spreads the ages, because connections that started together after a restart would otherwise return together for
/// ever.
steady::time_point old_at(session_settings::duration age) {
  if (age == session_settings::duration(0)) return steady::time_point::max();
  return steady::now() + std::chrono::duration_cast<session_settings::duration>(age * (1 - 0.1 * random_fraction()));
}

}  // namespace

session_settings::duration session_settings::shortest() const {
  return std::min({head, idle, body_window, write});
}

session::session(asio::io_context& io, reserved_connection connection, arrival taken, tls_context const& tls)
    : connection_(std::move(connection)),
      host_(connection_.host()),
      transport_(io, std::move(taken.descriptor), taken.family, taken.traits.tls ? tls : nullptr, host_.tick),
      peer_(std::move(taken.peer)),
      proxy_protocol_(taken.traits.proxy_protocol),
      secure_(taken.traits.tls),
      old_at_(old_at(host_.settings.age)) {
  host_.sessions.insert(this);
  on_reserve_ = host_.surplus() > 0;
  if (on_reserve_) ++host_.reserved;
}

session::~session() {
  host_.sessions.erase(this);
  host_.table.leave(*this);
  leave_reserve();
  if (leaving_) --host_.leaving;
}

task<> session::run(std::shared_ptr<session> self) {
  transport_.deadline().start(self);
  try {
    transport_.deadline().due_in(host_.settings.tls_handshake);
    if (co_await arrive() && co_await transport_.handshake()) co_await serve_requests();
  } catch (std::exception const&) {
    // Either the memory is exhausted, or the service threw although it must not: only this connection ends.
  }
  leave_buffers();
  transport_.close();
  transport_.deadline().stop();
}

/// Determines the peer's address. A PROXY header from an untrusted peer, or a missing header where one is required,
/// ends the connection. Guessing would let anyone choose the address that is counted.
task<bool> session::arrive() {
  trusted_ = host_.forwarding.trusted(peer_);
  if (!proxy_protocol_) co_return enter();
  http::proxy_header header;
  if (trusted_) header = co_await read_proxy_header(transport_);
  if (header.content != http::proxy_header::verdict::complete) {
    log::info("refused PROXY header", {{"peer", peer_}, {"trusted", trusted_}});
    co_return false;
  }
  if (header.source) {
    peer_ = std::move(*header.source);
    trusted_ = host_.forwarding.trusted(peer_);
  }
  co_return enter();
}

/// Enters the table. It does not count a trusted proxy's connection, which carries many clients, or a local
/// connection over a Unix socket.
bool session::enter() {
  auto const counted = trusted_ || peer_ == unix_peer ? std::nullopt : std::optional<std::string_view>(peer_);
  return host_.table.enter(*this, counted, steady::now());
}

void session::admitted(uuid const& user) {
  too_many_ = !host_.table.admitted(*this, user);
}

/// Closes the connection. To the client this looks like a keep-alive timeout.
void session::make_room() {
  leave_reserve();
  leaving_ = true;
  ++host_.leaving;
  transport_.say_goodbye();
  transport_.close();
}

/// Returns true if the connection is on the reserve. A connection that arrived when all ordinary places were taken
/// gets one answer, unless other connections have left since.
bool session::on_reserve() {
  if (on_reserve_ && host_.ordinary() < host_.settings.connections) leave_reserve();
  return on_reserve_;
}

void session::leave_reserve() {
  if (std::exchange(on_reserve_, false)) --host_.reserved;
}

task<> session::serve_requests() {
  // The first request often arrives with the end of the handshake. Otherwise the attempt to read makes OpenSSL
  // release its record buffer.
  buffers_ = host_.buffers.take();
  auto const arrived = transport_.read_now(buffers_->input.room());
  if (!arrived) co_return;
  buffers_->input.commit(*arrived);
  while (co_await next_request()) {
    switch (co_await receive_head()) {
      case head_state::complete:
        asked_ = true;
        host_.table.serves(*this);
        if (!co_await answer()) co_return;
        host_.table.waits(*this, steady::now());
        break;
      case head_state::refused:
        co_await refuse(buffers_->guard.refusal());
        co_return;
      case head_state::stalled:
        co_await refuse(errc::request_timeout);
        co_return;
      case head_state::gone:
        co_return;
    }
  }
}

/// Returns true if a byte of another request has arrived or may have arrived; `buffers_` is set then.
task<bool> session::next_request() {
  if (buffers_) {
    buffers_->input.next_message();
    if (!buffers_->input.unread().empty()) co_return true;
    leave_buffers();
  }
  // A client that has just connected is about to send a request: it takes an end without any answer for a failure of
  // the service.
  bool const may_wait = !host_.draining || !asked_;
  // If a TLS record has started, a request is arriving, and the time limit of a head applies instead.
  if (may_wait && !transport_.has_begun()) {
    transport_.deadline().due_in(host_.draining ? host_.settings.first_in_drain : host_.settings.idle);
    idle_ = true;
    co_await transport_.readable();
    idle_ = false;
    if (transport_.deadline().expired()) {
      transport_.say_goodbye();
      co_return false;
    }
  }
  buffers_ = host_.buffers.take();
  if (!host_.draining || !asked_) co_return true;
  // The client may have sent a request before it could notice the drain. The session still answers it.
  auto& input = buffers_->input;
  input.commit(transport_.read_now(input.room()).value_or(0));
  if (input.unread().empty()) transport_.say_goodbye();
  co_return !input.unread().empty();
}

task<session::head_state> session::receive_head() {
  auto& input = buffers_->input;
  // Every message starts here but may end in many places, so the guard is reset here.
  buffers_->guard.reset();
  transport_.deadline().due_in(host_.settings.head);
  for (;;) {
    auto const verdict = input.unread().empty() ? http::verdict::need_more : buffers_->guard.feed(input.unread());
    if (verdict == http::verdict::complete) co_return head_state::complete;
    if (verdict == http::verdict::refused) co_return head_state::refused;
    auto const n = co_await transport_.read_some(input.room());
    if (n == 0) {
      auto const stalled = transport_.deadline().expired() && !input.unread().empty();
      co_return stalled ? head_state::stalled : head_state::gone;
    }
    input.commit(n);
  }
}

/// Serves the request whose head is complete. Returns true if the next request may follow.
task<bool> session::answer() {
  auto& input = buffers_->input;
  auto& request = buffers_->request;
  auto const& head = buffers_->guard.head();
  buffers_->guard.fill(request, input.unread());
  request.client_address = trusted_ ? http::client_address(request, peer_, host_.forwarding) : peer_;
  request.arrived = steady::now();
  request.came_by = this;
  request.reserved = on_reserve();
  pins_tls_ = secure_ && !is_local_name(request.find("Host").value_or(""));
  input.consume(head.size);
  input.pin();
  body_reader body(transport_, input, head, host_.settings);

  // The service's own deadline applies from here on.
  transport_.deadline().nothing_due();
  auto response = co_await host_.service.serve(request, body);

  auto const limit = host_.settings.drained_body;
  auto const head_only = request.method == "HEAD";
  auto const streamed = head_only ? nullptr : response.stream;
  bool const old = request.arrived >= old_at_;
  auto const closes = response.close || response.stream || too_many_ || request.reserved || old;
  auto const keep = stays_open(head, body.state(), limit, closes, host_.announced);
  auto const chunked = request.version_minor > 0;
  bool const finished = body.state() == body_state::finished;
  if (!co_await send(std::move(response), keep, head_only, !finished)) co_return false;
  if (streamed) {
    co_await stream_out(streamed, chunked);
    co_return false;
  }
  if (keep) co_return finished || co_await body.drain();
  if (!buffers_) buffers_ = host_.buffers.take();
  co_await transport_.linger(buffers_->input.scratch(), host_.settings.linger);
  co_return false;
}

task<bool> session::send(http::response response, bool keep, bool head_only, bool reads_on) {
  response_frame const frame{http_date_now(), keep, buffers_->request.version_minor, head_only, pins_tls_};
  auto& output = buffers_->output;
  output.clear();
  auto const rest = append_response(output, response, frame);
  auto const bytes = output.size() + rest.size();
  SVC_FAILPOINT("session.before_write");
  auto complete = co_await transport_.write_all(output, host_.settings);
  if (complete && !rest.empty()) {
    // A client may take minutes to read a large response, so only a pipelined request keeps its buffers meanwhile.
    if (!reads_on && buffers_->input.unread().empty()) leave_buffers();
    complete = co_await transport_.write_all(rest, host_.settings);
  }
  host_.service.written(complete ? bytes : 0, complete);
  co_return complete;
}

/// Sends a stream. Releases the buffers first: nothing needs the request any more, and a stream may last for hours.
task<> session::stream_out(std::shared_ptr<http::body_stream> body, bool chunked) {
  leave_buffers();
  bool complete = false;
  {
    body_sender sender(transport_, *body, host_.frame, host_.settings, chunked);
    struct known_client {
      http::body_stream*& location;
      ~known_client() { location = nullptr; }
    } const while_it_lasts{streamed_};
    streamed_ = body.get();
    if (host_.draining) body->drain();
    complete = co_await sender.send();
    host_.service.written(sender.bytes(), complete);
  }
  if (!complete) co_return;
  buffers_ = host_.buffers.take();
  co_await transport_.linger(buffers_->input.scratch(), host_.settings.linger);
}

/// Answers a head that is malformed or did not arrive in time. Nothing can interpret the bytes after it, so the
/// connection ends.
task<> session::refuse(error failure) {
  transport_.deadline().nothing_due();
  buffers_->request.version_minor = 1;
  // The head may have named a host that must not be pinned.
  pins_tls_ = false;
  auto response = host_.service.refuse(failure, peer_);
  if (!co_await send(std::move(response), false, false, true)) co_return;
  co_await transport_.linger(buffers_->input.scratch(), host_.settings.linger);
}

void session::drain() {
  if (idle_ && asked_) transport_.wake();
  if (idle_ && !asked_) transport_.deadline().due_in(host_.settings.first_in_drain);
  if (streamed_ != nullptr) streamed_->drain();
}

void session::leave_buffers() {
  host_.buffers.give_back(std::move(buffers_));
}

}  // namespace svc::net
