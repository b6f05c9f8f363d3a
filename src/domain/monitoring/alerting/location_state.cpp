#include "svc/domain/monitoring/alerting/location_state.hpp"

#include <utility>

namespace svc::alerting {
namespace {

void take_good(location_state& state, observed_result const& now, thresholds const& limits, bool outage_open) {
  if (state.oks++ == 0) state.good_since = now.began;
  state.fails = 0;
  state.failing_since.reset();
  bool const must_recover =
      state.says == location_status::down || (state.says == location_status::none && outage_open);
  if (!must_recover || state.oks >= limits.recovery) state.says = location_status::up;
  state.slow = now.degraded ? state.slow + 1 : 0;
  state.plain = now.degraded ? 0 : state.plain + 1;
  if (state.slow >= limits.failure) state.degraded = true;
  if (state.plain >= limits.recovery) state.degraded = false;
}

void take_bad(location_state& state, observed_result const& now, thresholds const& limits) {
  if (state.fails++ == 0) state.failing_since = now.began;
  state.oks = 0;
  state.good_since.reset();
  state.slow = state.plain = 0;
  state.failure = now.failure;
  if (state.fails < limits.failure) return;
  state.says = location_status::down;
  state.degraded = false;
}

/// Returns the state without its vote, because too many checks in a row were inconclusive.
location_state forgetful(location_state const& state) {
  return {
      .errors = state.errors, .conclusive_at = state.conclusive_at, .seen_at = state.seen_at, .error = state.error};
}

}  // namespace

location_state next_location_state(location_state state, observed_result const& now, thresholds const& limits,
                                   bool outage_open) {
  state.seen_at = now.began;
  if (now.says == checks::conclusion::none) {
    state.error = now.failure;
    ++state.errors;
    return state.errors >= errors_until_none ? forgetful(state) : state;
  }
  state.errors = 0;
  state.conclusive_at = now.began;
  if (now.says == checks::conclusion::good) {
    take_good(state, now, limits, outage_open);
  } else {
    take_bad(state, now, limits);
  }
  return state;
}

}  // namespace svc::alerting
