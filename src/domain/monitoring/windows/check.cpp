// This file checks the settings of maintenance windows.
#include "svc/domain/cron.hpp"
#include "svc/domain/monitoring/windows/plan.hpp"

#include <algorithm>
#include <utility>

namespace svc::windows {
namespace {

constexpr std::size_t most_target_monitors = 500, most_target_tags = 20;
constexpr auto unusable = "The maintenance window cannot be used.";

using field_errors = std::vector<field_error>;

result<> refusal_of(field_errors wrong) {
  if (wrong.empty()) return {};
  return error(errc::validation_failed, unusable, std::move(wrong));
}

void check_targets(window_targets const& targets, field_errors& wrong) {
  int const kinds = (targets.all ? 1 : 0) + (targets.monitors.empty() ? 0 : 1) + (targets.tags.empty() ? 0 : 1);
  if (kinds != 1) wrong.push_back({"/monitorIds", "exactly one of monitorIds, tagIds and all must be set"});
  if (targets.monitors.size() > most_target_monitors) wrong.push_back({"/monitorIds", "must have at most 500 items"});
  if (targets.tags.size() > most_target_tags) wrong.push_back({"/tagIds", "must have at most 20 items"});
  find_repeats(targets.monitors, "/monitorIds/", "", wrong);
  find_repeats(targets.tags, "/tagIds/", "", wrong);
}

void check_once(single_rule const& rule, timestamp now, field_errors& wrong) {
  if (rule.ends_at <= rule.starts_at) {
    wrong.push_back({"/endsAt", "must be later than startsAt"});
  } else if (rule.ends_at <= now) {
    wrong.push_back({"/endsAt", "must be in the future"});
  } else if (rule.ends_at - rule.starts_at > longest_once) {
    wrong.push_back({"/endsAt", "must be at most 35 days after startsAt"});
  }
}

/// Checks the members one by one. Returns false if no starts can be computed.
bool check_members(recurring_rule const& rule, field_errors& wrong) {
  auto const before = wrong.size();
  auto const schedule = cron_schedule::parse(rule.cron);
  if (!schedule) wrong.push_back({"/cron", "must be a schedule of five fields"});
  if (schedule && !schedule->names_a_day()) wrong.push_back({"/cron", "must name a day that exists"});
  if (!is_time_zone(rule.time_zone)) wrong.push_back({"/timeZone", "must be an IANA time zone"});
  if (rule.duration < std::chrono::minutes(1) || rule.duration > longest_duration) {
    wrong.push_back({"/durationMinutes", "must be between 1 and 1440"});
  }
  if (rule.first_at && rule.until && *rule.until <= *rule.first_at)
    wrong.push_back({"/until", "must be later than from"});
  return wrong.size() == before;
}

/// Returns the next starts, at most `checked_starts`.
std::vector<scheduled_time> next_starts(recurring_rule const& rule, timestamp now) {
  // The first possible start may be a start itself.
  auto const after = rule.first_at ? std::max(now, timestamp{rule.first_at->micros - 1}) : now;
  auto starts = cron_schedule::parse(rule.cron)->times_after(after, rule.time_zone, checked_starts);
  if (rule.until) {
    std::erase_if(starts, [&](scheduled_time const& time) { return time.moment >= *rule.until; });
  }
  return starts;
}

void check_recurring(recurring_rule const& rule, timestamp now, bool may_end, field_errors& wrong) {
  if (!check_members(rule, wrong)) return;
  auto const starts = next_starts(rule, now);
  if (starts.empty() && !may_end) {
    wrong.push_back({rule.until ? "/until" : "/cron", "leaves no start in the future"});
  }
  auto const distance = std::max(shortest_distance, rule.duration);
  auto const close = std::ranges::adjacent_find(starts, [&](scheduled_time const& start, scheduled_time const& next) {
    return next.moment - start.moment < distance;
  });
  if (close == starts.end()) return;
  wrong.push_back({"/cron", "starts must be at least 60 minutes and durationMinutes apart, but " +
                                to_rfc3339(close->moment) + " and the next start are closer"});
}

/// `active`: an occurrence of the window lasts, so that the rule may end without another start.
void check_rule(window_settings const& wanted, timestamp now, bool active, field_errors& wrong) {
  if (wanted.once.has_value() == wanted.recurring.has_value()) {
    wrong.push_back({"/startsAt", "either startsAt and endsAt or cron and durationMinutes must be set"});
  } else if (wanted.once) {
    check_once(*wanted.once, now, wrong);
  } else {
    check_recurring(*wanted.recurring, now, active, wrong);
  }
}

/// Checks what an active window keeps.
void check_started(window_settings const& current, window_settings const& wanted, field_errors& wrong) {
  if (current.once && wanted.recurring) {
    wrong.push_back({"/cron", "cannot be set while the window is active; end it first"});
  } else if (current.recurring && wanted.once) {
    wrong.push_back({"/startsAt", "cannot be set while the window is active; end it first"});
  } else if (current.once && wanted.once && current.once->starts_at != wanted.once->starts_at) {
    wrong.push_back({"/startsAt", "cannot be changed after the start"});
  }
}

}  // namespace

result<> check_settings(window_settings const& wanted, timestamp now) {
  field_errors wrong;
  check_targets(wanted.targets, wrong);
  check_rule(wanted, now, false, wrong);
  return refusal_of(std::move(wrong));
}

result<> check_change(window const& current, window_settings const& wanted, timestamp now) {
  if (current.state == window_state::finished) return errc::window_over;
  bool const active = current.current.has_value();
  field_errors wrong;
  // Deleted monitors and tags leave a window that covers nothing, which may still be renamed.
  if (wanted.targets != current.set.targets) check_targets(wanted.targets, wrong);
  if (wanted.once != current.set.once || wanted.recurring != current.set.recurring) {
    check_rule(wanted, now, active, wrong);
    if (active) check_started(current.set, wanted, wrong);
  }
  return refusal_of(std::move(wrong));
}

}  // namespace svc::windows
