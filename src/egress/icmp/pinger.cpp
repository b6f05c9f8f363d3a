#include "svc/egress/icmp/pinger.hpp"

#include "egress/addresses.hpp"
#include "egress/icmp/icmp_socket.hpp"
#include "svc/core/random.hpp"
#include "svc/egress/connection_gate.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace svc::egress {

namespace {

/// The requests of a ping under way: forgotten at its end, however it ends.
template <class Channel>
class ping_in_flight {
 public:
  ping_in_flight(Channel& socket, ping_answer& into, std::size_t payload)
      : socket_(socket), ping_(std::make_shared<open_ping>(socket.io())), payload_(payload) {
    ping_->into = &into;
    random_bytes(ping_->token);
    ping_->token_size = std::min(payload, ping_->token.size());
  }
  ~ping_in_flight() { socket_.remove(*ping_); }
  ping_in_flight(ping_in_flight const&) = delete;
  ping_in_flight& operator=(ping_in_flight const&) = delete;

  sending send_to(ip_address const& address) {
    ping_->address = address;
    return socket_.send(ping_, payload_);
  }
  bool all_came() const { return ping_->waiting.empty(); }
  unsigned unreachable() const { return ping_->unreachable; }
  task<> wait(steady::time_point until) {
    ping_->changed.expires_at(until);
    co_await ping_->changed.async_wait(awaiting);
  }

 private:
  Channel& socket_;
  std::shared_ptr<open_ping> ping_;
  std::size_t payload_;
};

}  // namespace

pinger::pinger(asio::io_context& io, resolver& names, std::shared_ptr<address_policy const> policy)
    : names_(names),
      policy_(std::move(policy)),
      v4_(icmp_socket::open(io, true)),
      v6_(icmp_socket::open(io, false)) {}

pinger::~pinger() {
  if (v4_) v4_->stop();
  if (v6_) v6_->stop();
}

bool pinger::available() const {
  return v4_ != nullptr;
}

task<std::optional<ping_answer>> pinger::ping(ping_request request, deadline until) {
  ping_answer out;
  auto const addresses =
      co_await find_allowed(names_, *policy_, request.host, request.family, until, request.address_age);
  out.dns = addresses.took;
  out.error = addresses.error;
  if (addresses.error != failure::none) co_return out;
  bool any_socket = false;
  gated_time time{until};
  for (auto const& address : addresses.all) {
    auto const socket = address.v4 ? v4_ : v6_;
    if (!socket) continue;
    any_socket = true;
    if (!co_await pass_gate(request.gate, address, 0, time)) {
      out.error = failure::cancelled;
      co_return out;
    }
    out.address = address.to_string();
    ping_in_flight flight(*socket, out, request.payload);
    auto const first = flight.send_to(address);
    if (first == sending::no_way) continue;
    out.error = failure::none;
    out.sent = first == sending::sent ? 1 : 0;
    unsigned tried = 1;
    auto next = steady::now() + request.interval;
    while (steady::now() < time.until.at() && (tried < request.count || !flight.all_came())) {
      co_await flight.wait(tried < request.count ? std::min(next, time.until.at()) : time.until.at());
      if (is_cancelled(co_await asio::this_coro::cancellation_state)) {
        out.error = failure::cancelled;
        co_return out;
      }
      if (tried == request.count || steady::now() < next) continue;
      // Where there is no way any more, a request has no reply; what we could not send says nothing.
      if (flight.send_to(address) != sending::no_room) ++out.sent;
      ++tried;
      next += request.interval;
    }
    if (out.sent == 0) out.error = failure::internal;
    if (out.received == 0 && flight.unreachable() > 0) out.error = failure::connect_unreachable;
    co_return out;
  }
  if (!any_socket) co_return std::nullopt;
  out.error = failure::connect_unreachable;
  co_return out;
}

}  // namespace svc::egress
