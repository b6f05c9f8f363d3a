#include "svc/domain/monitoring/alerting/decide.hpp"

#include "domain/monitoring/alerting/weigh.hpp"
#include "domain/monitoring/alerting/write_alerts.hpp"

#include <algorithm>
#include <chrono>

namespace svc::alerting {
namespace {

using namespace std::chrono_literals;

constexpr int silent_intervals = 3;

timestamp silent_at(monitor_state const& of, weighed const& votes) {
  return std::max(votes.evidence_at.value_or(of.since), of.since) + of.interval * silent_intervals;
}

timestamp confirmed_by(monitor_state const& of, timestamp suspect_since) {
  return suspect_since + of.attempts_take + 10s;
}

/// How long the old verdict stays while too few locations vote to contradict it.
timestamp doubted_until(monitor_state const& of, timestamp suspect_since) {
  return suspect_since + of.interval * silent_intervals;
}

/// Whether what the votes say may be believed already.
bool may_be_down(monitor_state const& of, weighed const& votes, timestamp now) {
  bool const in = votes.confirmed || !votes.suspect_since || now >= confirmed_by(of, *votes.suspect_since);
  return in && votes.online_voting * 2 >= votes.online;
}

verdict next_verdict(monitor_state const& of, weighed const& votes, timestamp now) {
  if (votes.voting() == 0) return now >= silent_at(of, votes) ? verdict::error : of.stands;
  if (is_met(of, votes.ups.size(), votes.voting())) {
    return votes.degraded > 0 && votes.degraded * 2 >= votes.ups.size() ? verdict::degraded : verdict::up;
  }
  if (of.stands == verdict::down || may_be_down(of, votes, now)) return verdict::down;
  return votes.suspect_since && now >= doubted_until(of, *votes.suspect_since) ? verdict::error : of.stands;
}

location_vote const* first_down(weighed const& votes) {
  auto const since = [](location_vote const* v) { return v->state.failing_since.value_or(timestamp{}); };
  auto const found = std::ranges::min_element(votes.downs, {}, since);
  return found == votes.downs.end() ? nullptr : *found;
}

/// A check's times are by the clock of who made it, which may be ahead.
timestamp not_after(timestamp now, std::optional<timestamp> seen) {
  return std::min(seen.value_or(now), now);
}

outage_begin begin_of_outage(monitor_state const& of, weighed const& votes, timestamp now, uuid id) {
  outage_begin out{.id = id, .started_at = now, .detected_at = now};
  if (auto const* first = first_down(votes)) {
    out.started_at = not_after(now, first->state.failing_since);
    if (first->state.failure) out.cause = *first->state.failure;
    out.location = first->code;
  }
  out.started_at = std::max(out.started_at, of.last_ended_at.value_or(out.started_at));
  for (auto const* each : votes.downs) out.locations.push_back(each->code);
  return out;
}

checks::failure reason_of_error(weighed const& votes) {
  if (votes.online == 0) return checks::failure(checks::code::no_location);
  // Nothing came at all: its checks were missed.
  return votes.error != nullptr ? *votes.error->state.error : checks::failure(checks::code::executor_lost);
}

bool has_period(verdict v) {
  return v == verdict::degraded || v == verdict::error;
}

void change(monitor_state const& of, weighed const& votes, timestamp now, uuid fresh, decision& out) {
  auto const to = out.becomes;
  out.changed = true;
  if (of.period) end_period(of, of.stands, out);
  if ((to == verdict::up || to == verdict::degraded) && of.outage) {
    auto const ended_at = std::max(not_after(now, good_since(of, votes, now)), of.outage->started_at);
    end_outage(of, {of.outage->id, ended_at, end_reason::recovered}, out);
    out.failure_left_out = false;
  }
  if (to == verdict::down && !of.outage) {
    out.opened = begin_of_outage(of, votes, now, fresh);
    write_failures(of, fresh, now, out);
  }
  if (has_period(to)) begin_period(of, to, fresh, now, out);
}

/// When to decide again if nothing comes before.
std::optional<timestamp> next_look(monitor_state const& of, weighed const& votes, timestamp now, decision const& d) {
  std::optional<timestamp> out;
  auto const consider = [&](std::optional<timestamp> at) {
    if (at && *at > now && (!out || *at < *out)) out = at;
  };
  if (d.becomes != verdict::error) consider(silent_at(of, votes));
  consider(votes.expires);
  if (d.suspect_since) {
    consider(confirmed_by(of, *d.suspect_since));
    consider(doubted_until(of, *d.suspect_since));
  }
  if (d.becomes == verdict::down) {
    consider(of.muted_until);
    consider(d.changed ? of.limited_after_change : of.limited_until);
    consider(next_reminder(of, now, d));
  }
  return out;
}

}  // namespace

decision decide(monitor_state const& of, std::span<location_vote const> votes, timestamp now, uuid fresh) {
  decision out{.becomes = of.stands};
  out.limit_recorded = of.limit_recorded && of.is_limited(now);
  out.failure_left_out = of.failure_left_out;
  if (!of.live) return out;
  auto const seen = weigh(of, votes, now);
  out.becomes = next_verdict(of, seen, now);
  if (out.becomes != verdict::down) out.suspect_since = seen.suspect_since;
  if (out.becomes == verdict::error) out.reason = reason_of_error(seen);
  if (auto const* first = first_down(seen); first != nullptr && out.becomes == verdict::down) {
    out.reason = first->state.failure;
  }
  if (out.becomes != of.stands) change(of, seen, now, fresh, out);
  if (out.becomes == verdict::down && of.outage) {
    release_failures(of, now, out);
    if (out.release.empty()) write_reminder(of, now, out);
  }
  out.look_again = next_look(of, seen, now, out);
  return out;
}

bool must_decide(verdict stands, location_state const& before, location_state const& after) {
  if (after.says != before.says || after.degraded != before.degraded) return true;
  switch (stands) {
    case verdict::up:
      return after.says == vote::down || after.degraded;
    case verdict::degraded:
      return after.says == vote::down || !after.degraded;
    case verdict::down:
      return after.says == vote::up;
    default:
      return after.says != vote::none;
  }
}

decision interrupt(monitor_state const& of, end_reason why, timestamp now) {
  decision out{.becomes = verdict::pending, .changed = of.stands != verdict::pending};
  out.limit_recorded = of.limit_recorded && of.is_limited(now);
  if (of.period) end_period(of, of.stands, out);
  if (of.outage) end_outage(of, {of.outage->id, std::max(now, of.outage->started_at), why}, out);
  return out;
}

}  // namespace svc::alerting
