#include "svc/egress/icmp/pinger.hpp"

#include "egress/addresses.hpp"
#include "egress/icmp/channel.hpp"
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
  ping_in_flight(Channel& on, ping_answer& into, std::size_t payload)
      : on_(on), of_(std::make_shared<open_ping>(on.io())), payload_(payload) {
    of_->into = &into;
    random_bytes(of_->token);
    of_->token_size = std::min(payload, of_->token.size());
  }
  ~ping_in_flight() { on_.forget(*of_); }
  ping_in_flight(ping_in_flight const&) = delete;
  ping_in_flight& operator=(ping_in_flight const&) = delete;

  sending send_to(ip_address const& at) {
    of_->at = at;
    return on_.send(of_, payload_);
  }
  bool all_came() const { return of_->waiting.empty(); }
  unsigned unreachable() const { return of_->unreachable; }
  task<> wait(steady::time_point until) {
    of_->changed.expires_at(until);
    co_await of_->changed.async_wait(awaiting);
  }

 private:
  Channel& on_;
  std::shared_ptr<open_ping> of_;
  std::size_t payload_;
};

}  // namespace

pinger::pinger(asio::io_context& io, resolver& names, std::shared_ptr<guard const> judge)
    : names_(names), judge_(std::move(judge)), v4_(channel::open(io, true)), v6_(channel::open(io, false)) {}

pinger::~pinger() {
  if (v4_) v4_->stop();
  if (v6_) v6_->stop();
}

bool pinger::available() const {
  return v4_ != nullptr;
}

task<std::optional<ping_answer>> pinger::ping(ping_request what, deadline until) {
  ping_answer out;
  auto const to = co_await find_judged(names_, *judge_, what.at, what.family, until, what.address_age);
  out.dns = to.took;
  out.why = to.why;
  if (to.why != failure::none) co_return out;
  bool any_socket = false;
  gated_time time{until};
  for (auto const& at : to.all) {
    auto const on = at.v4 ? v4_ : v6_;
    if (!on) continue;
    any_socket = true;
    if (!co_await pass_gate(what.gate, at, 0, time)) {
      out.why = failure::cancelled;
      co_return out;
    }
    out.address = at.to_string();
    ping_in_flight flight(*on, out, what.payload);
    auto const first = flight.send_to(at);
    if (first == sending::no_way) continue;
    out.why = failure::none;
    out.sent = first == sending::sent ? 1 : 0;
    unsigned tried = 1;
    auto next = steady::now() + what.interval;
    while (steady::now() < time.until.at() && (tried < what.count || !flight.all_came())) {
      co_await flight.wait(tried < what.count ? std::min(next, time.until.at()) : time.until.at());
      if (is_cancelled(co_await asio::this_coro::cancellation_state)) {
        out.why = failure::cancelled;
        co_return out;
      }
      if (tried == what.count || steady::now() < next) continue;
      // Where there is no way any more, a request has no reply; what we could not send says nothing.
      if (flight.send_to(at) != sending::no_room) ++out.sent;
      ++tried;
      next += what.interval;
    }
    if (out.sent == 0) out.why = failure::internal;
    if (out.received == 0 && flight.unreachable() > 0) out.why = failure::connect_unreachable;
    co_return out;
  }
  if (!any_socket) co_return std::nullopt;
  out.why = failure::connect_unreachable;
  co_return out;
}

}  // namespace svc::egress
