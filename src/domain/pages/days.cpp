#include "svc/domain/pages/days.hpp"

#include "svc/domain/cron.hpp"

#include <date/tz.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace svc::pages {
namespace {

constexpr std::int64_t micros_of_second = 1'000'000, micros_of_day = 86'400 * micros_of_second;

date::time_zone const* zone_of(std::string_view name) {
  if (name == "UTC" || !is_time_zone(name)) return nullptr;
  return date::locate_zone(std::string(name));
}

timestamp midnight(date::time_zone const* zone, std::int64_t day) {
  if (zone == nullptr) return {day * micros_of_day};
  date::local_days const local{date::days(day)};
  auto const moment = zone->to_sys(local, date::choose::earliest);
  return {std::chrono::duration_cast<std::chrono::microseconds>(moment.time_since_epoch()).count()};
}

local_day day_at(date::time_zone const* zone, std::int64_t day) {
  return {.day = day, .starts_at = midnight(zone, day), .ends_at = midnight(zone, day + 1)};
}

/// A start or an end of a period of one monitor.
struct change_of_state {
  std::int64_t moment;
  bool starts;
  double known;
};

/// Clips the outages of a day. Those of one monitor do not overlap.
std::vector<change_of_state> changes_in(std::span<monitor_day const> monitors, std::int64_t first,
                                        std::int64_t last) {
  std::vector<change_of_state> out;
  for (auto const& monitor : monitors) {
    for (auto const& down : monitor.downs) {
      auto const start = std::max(down.starts_at.micros, first), end = std::min(down.ends_at.micros, last);
      if (start >= end) continue;
      out.push_back({start, true, down.known});
      out.push_back({end, false, down.known});
    }
  }
  // An end precedes a start of the same moment, so that nobody counts twice.
  std::ranges::sort(out, [](auto const& a, auto const& b) {
    return a.moment != b.moment ? a.moment < b.moment : static_cast<int>(a.starts) < static_cast<int>(b.starts);
  });
  return out;
}

component_status status_of_numbers(std::size_t down, std::size_t all, aggregation rule) {
  if (down == 0 || all == 0) return component_status::operational;
  if (rule == aggregation::majority_vote)
    return 2 * down > all ? component_status::major_outage : component_status::degraded_performance;
  return down == all ? component_status::major_outage : component_status::partial_outage;
}

/// The part of a day that a component was in outage, and the worst status of its rule.
struct day_outage {
  double down_micros = 0;
  component_status worst = component_status::operational;
};

day_outage outage_of_day(std::vector<change_of_state> const& changes, std::size_t all, aggregation rule) {
  day_outage out;
  std::multiset<double> down;
  std::int64_t since = 0;
  for (auto const& change : changes) {
    auto const status = status_of_numbers(down.size(), all, rule);
    if (change.moment > since && status >= component_status::partial_outage)
      out.down_micros += static_cast<double>(change.moment - since) * *down.rbegin();
    if (change.moment > since) out.worst = std::max(out.worst, status);
    since = change.moment;
    if (change.starts) {
      down.insert(change.known);
    } else if (auto const found = down.find(change.known); found != down.end()) {
      down.erase(found);
    }
  }
  return out;
}

std::int64_t observed_seconds(std::span<monitor_day const> monitors) {
  std::int64_t sum = 0, count = 0;
  for (auto const& monitor : monitors) {
    if (monitor.observed_seconds <= 0) continue;
    sum += monitor.observed_seconds;
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

component_status worst_of_periods(std::span<status_period const> periods, std::int64_t first, std::int64_t last) {
  auto out = component_status::operational;
  for (auto const& period : periods)
    if (period.starts_at.micros < last && period.ends_at.micros > first) out = std::max(out, period.status);
  return out;
}

}  // namespace

local_day day_of_moment(std::string_view zone_name, timestamp moment) {
  auto const* const zone = zone_of(zone_name);
  auto const floor_day = [](std::int64_t micros) {
    return std::chrono::floor<std::chrono::days>(std::chrono::microseconds(micros)).count();
  };
  if (zone == nullptr) return day_at(nullptr, floor_day(moment.micros));
  date::sys_seconds const second{std::chrono::floor<std::chrono::seconds>(std::chrono::microseconds(moment.micros))};
  auto const offset = zone->get_info(second).offset;
  return day_at(zone, floor_day(moment.micros + std::chrono::microseconds(offset).count()));
}

local_day day_in_zone(std::string_view zone, std::int64_t day) {
  return day_at(zone_of(zone), day);
}

day_bar bar_of_day(std::span<monitor_day const> monitors, aggregation rule, std::span<status_period const> periods,
                   local_day const& day, timestamp until) {
  auto const first = day.starts_at.micros, last = std::min(day.ends_at.micros, until.micros);
  if (last <= first) return {};
  auto const length = (last - first + micros_of_second - 1) / micros_of_second;
  auto const outage = outage_of_day(changes_in(monitors, first, last), monitors.size(), rule);
  auto const down = std::min(
      length, static_cast<std::int64_t>(std::ceil(outage.down_micros / static_cast<double>(micros_of_second))));
  auto const observed = std::clamp<std::int64_t>(observed_seconds(monitors), down, length);
  auto const announced = worst_of_periods(periods, first, last);
  day_bar out{.up_seconds = static_cast<std::int32_t>(observed - down),
              .down_seconds = static_cast<std::int32_t>(down)};
  out.worst = std::max(outage.worst, announced);
  if (observed == 0 && out.worst == component_status::operational) out.worst = component_status::unknown;
  return out;
}

}  // namespace svc::pages
