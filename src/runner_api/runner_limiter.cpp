#include "runner_api/runner_limiter.hpp"

#include "svc/core/time.hpp"

#include <string>

namespace svc::runner_api {
namespace {

constexpr std::array<char const*, 4> verdicts_of_runners{"ok", "denied", "stale", "lost"};

std::string window_key(std::string const& subject, rate_class which) {
  return subject + ':' + std::string(to_string(which));
}

}  // namespace

runner_limiter::runner_limiter(parts uses, metrics& counters) : uses_(uses) {
  for (auto const work : {runner_work::claim, runner_work::keep}) {
    auto const which = work == runner_work::claim ? rate_class::claim : rate_class::runner;
    for (std::size_t v = 0; v < verdicts_of_runners.size(); ++v)
      decisions_[static_cast<std::size_t>(work)][v] =
          counters.make_counter("svc_admissions_total", "Decisions about windows, by class and verdict",
                                {{"class", std::string(to_string(which))}, {"verdict", verdicts_of_runners[v]}});
  }
}

access::admission_request runner_limiter::question(uuid token, runner_work work) const {
  access::admission_request out{token.to_string(), epoch_mode::none, 0, rate_class::runner, uses_.table.runner};
  if (work == runner_work::claim) out.also = class_window{rate_class::claim, uses_.table.claim};
  return out;
}

std::optional<limit_decision> runner_limiter::known_denial(access::admission_request const& asked,
                                                           steady::time_point now) {
  if (denials_.empty()) return std::nullopt;
  if (asked.also) {
    if (auto const second = denials_.find(window_key(asked.subject, asked.also->which), now)) return second;
  }
  return denials_.find(window_key(asked.subject, asked.which), now);
}

task<limit_decision> runner_limiter::count(uuid token, runner_work work, deadline until) {
  auto const start = steady::now();
  auto const asked = question(token, work);
  if (auto const known = known_denial(asked, start)) co_return *known;
  auto const answered = co_await uses_.fallback.ask(uses_.shared, asked, until);
  if (answered) decisions_[static_cast<std::size_t>(work)][static_cast<std::size_t>(answered->verdict)].add();
  if (answered && answered->verdict != access::admission_verdict::lost) {
    auto const& decision = answered->decision;
    if (!decision.admitted) denials_.remember(window_key(asked.subject, decision.which), decision, start);
    co_return decision;
  }
  auto const now = uses_.clock.now().value_or(system_now());
  co_return co_await uses_.fallback.decide(asked.subject, {asked.which, asked.window}, now, asked.also);
}

}  // namespace svc::runner_api
