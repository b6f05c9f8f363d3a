#include "monitoring/checks/canaries.hpp"

#include "svc/core/failpoint.hpp"
#include "svc/core/kept_running.hpp"
#include "svc/core/numbers.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <utility>

namespace svc::checks {

namespace {

constexpr std::chrono::seconds patience{2}, doubted{10};
constexpr milliseconds between_rounds{500};

/// The operator's own places may be anywhere.
std::shared_ptr<egress::guard const> open_guard() {
  return std::make_shared<egress::guard const>(
      std::vector{cidr::parse("0.0.0.0/0").value(), cidr::parse("::/0").value()});
}

}  // namespace

std::optional<canary> parse_canary(std::string_view text) {
  auto const colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto const port = parse_number<std::uint16_t>(text.substr(colon + 1));
  auto at = egress::parse_host(text.substr(0, colon));
  if (!port || *port == 0 || !at) return std::nullopt;
  return canary{std::move(*at), *port};
}

canaries::canaries(asio::io_context& io, engine_settings const& how)
    : io_(io), all_(how.canaries), names_(io, how.names), streams_(io, names_, open_guard(), how.trust) {}

task<bool> canaries::answer() {
  auto const self = shared_from_this();
  if (all_.empty()) co_return true;
  auto flight = rounds_.find(0);
  if (!flight) {
    flight = rounds_.lead(0);
    flight->outcome.left = all_.size();
    auto const from = std::max(next_round_, steady::now());
    next_round_ = from + between_rounds;
    for (auto const& one : all_) {
      asio::co_spawn(
          io_, [self, one, flight, from] { return self->ask(one, flight, from); },
          [self, flight](std::exception_ptr failed) {
            if (!failed) return;
            // Nobody may wait for a round that threw; this canary counts as silent.
            log_failure("the question to a canary", failed);
            self->count(flight, false);
          });
    }
  }
  co_await round::wait(flight, deadline::after(2 * patience));
  if (!flight->outcome.good) silent_at_ = steady::now();
  // What failed while the uplink was away may be asked for once it is back.
  co_return !silent_at_ || steady::now() - *silent_at_ > doubted;
}

task<> canaries::ask(canary one, round::flight_ptr in, steady::time_point from) {
  auto const self = shared_from_this();
  steady_timer turn(io_, from);
  co_await turn.async_wait(awaiting);
  SVC_FAILPOINT("canary.ask");
  auto const got = co_await streams_.talk({.at = one.at, .port = one.port}, deadline::after(patience));
  count(in, got.why == egress::failure::none);
}

void canaries::count(round::flight_ptr const& in, bool answered) {
  auto& outcome = in->outcome;
  --outcome.left;
  if (answered) outcome.good = true;
  if (in->landed || (!outcome.good && outcome.left > 0)) return;
  round::land(in);
  rounds_.forget(0, in);
}

}  // namespace svc::checks
