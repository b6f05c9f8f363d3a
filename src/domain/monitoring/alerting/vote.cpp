#include "svc/domain/monitoring/alerting/vote.hpp"

#include <utility>

namespace svc::alerting {
namespace {

void take_good(location_state& of, observed const& now, thresholds const& limits, bool outage_open) {
  if (of.oks++ == 0) of.good_since = now.began;
  of.fails = 0;
  of.failing_since.reset();
  bool const must_recover = of.says == vote::down || (of.says == vote::none && outage_open);
  if (!must_recover || of.oks >= limits.recovery) of.says = vote::up;
  of.slow = now.degraded ? of.slow + 1 : 0;
  of.plain = now.degraded ? 0 : of.plain + 1;
  if (of.slow >= limits.failure) of.degraded = true;
  if (of.plain >= limits.recovery) of.degraded = false;
}

void take_bad(location_state& of, observed const& now, thresholds const& limits) {
  if (of.fails++ == 0) of.failing_since = now.began;
  of.oks = 0;
  of.good_since.reset();
  of.slow = of.plain = 0;
  of.failure = now.why;
  if (of.fails < limits.failure) return;
  of.says = vote::down;
  of.degraded = false;
}

/// What a location knows once it does not know any more.
location_state forgetful(location_state const& of) {
  return {.errors = of.errors, .evidence_at = of.evidence_at, .seen_at = of.seen_at, .error = of.error};
}

}  // namespace

location_state next_vote(location_state of, observed const& now, thresholds const& limits, bool outage_open) {
  of.seen_at = now.began;
  if (now.says == checks::evidence::none) {
    of.error = now.why;
    ++of.errors;
    return of.errors >= errors_until_none ? forgetful(of) : of;
  }
  of.errors = 0;
  of.evidence_at = now.began;
  if (now.says == checks::evidence::good) {
    take_good(of, now, limits, outage_open);
  } else {
    take_bad(of, now, limits);
  }
  return of;
}

}  // namespace svc::alerting
