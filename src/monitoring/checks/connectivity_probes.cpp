#include "monitoring/checks/connectivity_probes.hpp"

#include "svc/core/failpoint.hpp"
#include "svc/core/numbers.hpp"
#include "svc/core/spawn_task.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <utility>

namespace svc::checks {

namespace {

constexpr std::chrono::seconds patience{2}, suspicion_time{10};
constexpr milliseconds between_rounds{500};

/// Allows all addresses, because the operator's own probes may be anywhere.
std::shared_ptr<egress::address_policy const> open_policy() {
  return std::make_shared<egress::address_policy const>(
      std::vector{cidr::parse("0.0.0.0/0").value(), cidr::parse("::/0").value()});
}

}  // namespace

std::optional<connectivity_probe> parse_connectivity_probe(std::string_view text) {
  auto const colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto const port = parse_number<std::uint16_t>(text.substr(colon + 1));
  auto host = egress::parse_host(text.substr(0, colon));
  if (!port || *port == 0 || !host) return std::nullopt;
  return connectivity_probe{std::move(*host), *port};
}

connectivity_probes::connectivity_probes(asio::io_context& io, engine_settings const& settings)
    : io_(io),
      all_(settings.connectivity_probes),
      names_(io, settings.names),
      streams_(io, names_, open_policy(), settings.trust) {}

task<bool> connectivity_probes::answer() {
  auto const self = shared_from_this();
  if (all_.empty()) co_return true;
  auto flight = rounds_.find(0);
  if (!flight) {
    flight = rounds_.lead(0);
    flight->outcome.left = all_.size();
    auto const start = std::max(next_round_, steady::now());
    next_round_ = start + between_rounds;
    for (auto const& connectivity_probe : all_) {
      asio::co_spawn(
          io_, [self, connectivity_probe, flight, start] { return self->ask(connectivity_probe, flight, start); },
          [self, flight](std::exception_ptr failed) {
            if (!failed) return;
            // After an exception no check may keep waiting for the round; this probe counts as silent.
            log_failure("a connectivity probe", failed);
            self->count(flight, false);
          });
    }
  }
  co_await round::wait(flight, deadline::after(2 * patience));
  if (!flight->outcome.good) silent_at_ = steady::now();
  // A check that failed while the uplink was down may ask only after the uplink is back.
  co_return !silent_at_ || steady::now() - *silent_at_ > suspicion_time;
}

task<> connectivity_probes::ask(connectivity_probe connectivity_probe, round::flight_ptr flight,
                                steady::time_point start) {
  auto const self = shared_from_this();
  steady_timer turn(io_, start);
  co_await turn.async_wait(awaiting);
  SVC_FAILPOINT("canary.ask");
  auto const got = co_await streams_.talk({.host = connectivity_probe.host, .port = connectivity_probe.port},
                                          deadline::after(patience));
  count(flight, got.error == egress::failure::none);
}

void connectivity_probes::count(round::flight_ptr const& flight, bool answered) {
  auto& outcome = flight->outcome;
  --outcome.left;
  if (answered) outcome.good = true;
  if (flight->done || (!outcome.good && outcome.left > 0)) return;
  round::complete(flight);
  rounds_.remove(0, flight);
}

}  // namespace svc::checks
