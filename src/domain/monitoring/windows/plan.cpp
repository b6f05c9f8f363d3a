#include "svc/domain/monitoring/windows/plan.hpp"

#include "svc/domain/cron.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace svc::windows {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;

/// A plan is made again at least this often, so that changes of the time zones take effect. The shortest distance of
/// starts leaves more than a day of `most_ahead` occurrences.
constexpr hours replanned_after{24};
constexpr microseconds instant{1};

constexpr std::array<std::string_view, 3> state_names{"scheduled", "active", "finished"};

timestamp before(timestamp time, microseconds distance) {
  return {time.micros - distance.count()};
}

/// Searches the starts of a rule one after the other.
class start_search {
 public:
  start_search(recurring_rule const& rule, timestamp after)
      : rule_(rule), schedule_(cron_schedule::parse(rule.cron)), reached_(after) {
    if (rule.first_at) reached_ = std::max(reached_, before(*rule.first_at, instant));
  }

  /// Returns the next start, or nothing if no start follows.
  std::optional<timestamp> next() {
    auto const found = schedule_ ? schedule_->next_after(reached_, rule_.time_zone) : std::nullopt;
    if (!found || (rule_.until && *found >= *rule_.until)) return std::nullopt;
    reached_ = *found;
    return found;
  }

 private:
  recurring_rule const& rule_;
  std::optional<cron_schedule> schedule_;
  timestamp reached_;
};

/// The time that `over_at` has if no start follows the planned ones. After an edit the active occurrence may last
/// longer than they do.
timestamp last_end(window_plan const& plan, timestamp now, std::optional<timestamp> active_until) {
  auto const active = active_until.value_or(now);
  return plan.ahead.empty() ? active : std::max(active, plan.ahead.back().ends_at);
}

/// Returns the difference from UTC in the form of RFC 3339: `-04:00`.
std::string offset_form(std::chrono::seconds offset) {
  auto const minutes = std::chrono::duration_cast<std::chrono::minutes>(std::chrono::abs(offset)).count();
  std::array<char, 16> text{};
  auto const size = std::snprintf(text.data(), text.size(), "%c%02d:%02d", offset.count() < 0 ? '-' : '+',
                                  static_cast<int>(minutes / 60), static_cast<int>(minutes % 60));
  return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace

window_plan plan_once(single_rule const& rule) {
  return {.ahead = {{rule.starts_at, rule.ends_at}}, .over_at = rule.ends_at};
}

window_plan plan_recurring(recurring_rule const& rule, timestamp after, timestamp now,
                           std::optional<timestamp> active_until) {
  auto const horizon = now + longest_ahead;
  window_plan out{.planned_until = std::max(after, horizon), .extend_at = now + replanned_after};
  if (!is_time_zone(rule.time_zone)) {
    out.planned_until = after;
    return out;
  }
  start_search search(rule, after);
  for (;;) {
    auto const start = search.next();
    if (!start) {
      out.over_at = last_end(out, now, active_until);
      break;
    }
    bool const first = out.ahead.empty();
    if (!first && (out.ahead.size() == most_ahead || *start > horizon)) break;
    out.ahead.push_back({*start, *start + rule.duration});
  }
  if (out.ahead.empty()) return out;
  auto const last = out.ahead.back().starts_at;
  if (out.ahead.size() == most_ahead || last > horizon) out.planned_until = last;
  // A window that is not over always has its next occurrence.
  if (last > now) out.extend_at = std::min(*out.extend_at, last);
  return out;
}

timestamp extension_start(recurring_rule const& rule, timestamp planned_until, timestamp now) {
  if (planned_until >= now) return now;
  return std::max(planned_until, before(now, rule.duration));
}

timestamp end_after_change(window const& current, window_settings const& wanted, timestamp now) {
  auto const end = current.current->ends_at;
  if (wanted.once) return wanted.once->ends_at;
  if (!wanted.recurring || !current.set.recurring || wanted.recurring->duration == current.set.recurring->duration) {
    return end;
  }
  return std::max(now, current.current->starts_at + wanted.recurring->duration);
}

std::string local_time(timestamp time, std::string_view zone) {
  auto const offset = offset_at(time, zone).value_or(std::chrono::seconds(0));
  auto out = to_rfc3339(time + offset);
  out.pop_back();
  return out + offset_form(offset);
}

std::string_view name_of(window_state state) {
  return state_names.at(static_cast<std::size_t>(state));
}

std::optional<window_state> parse_state(std::string_view text) {
  auto const found = std::ranges::find(state_names, text);
  if (found == state_names.end()) return std::nullopt;
  return static_cast<window_state>(found - state_names.begin());
}

}  // namespace svc::windows
