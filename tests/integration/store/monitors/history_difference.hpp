#pragma once

#include "history_plan.hpp"

#include "svc/store/monitors/check_history.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace svc::test {

/// Returns the differences of a part or period from the lists, in words; empty if there are none. `early` and `late`
/// are expected by the clock before and after the request.
inline std::string difference(store::history_part const& found, expected_history const& early,
                              expected_history const& late) {
  std::string out;
  auto const within = [&](char const* subject, long double least, long double condition, long double most) {
    if (condition >= least && condition <= most) return;
    out += std::string(subject) + " is " + std::to_string(condition) + ", not " + std::to_string(least) +
           (most > least ? " to " + std::to_string(most) : "") + "; ";
  };
  auto const same = [&](char const* subject, auto condition, auto expected) {
    within(subject, static_cast<long double>(expected), static_cast<long double>(condition),
           static_cast<long double>(expected));
  };
  auto const& sum = found.sum.summary;
  same("checks", sum.checks, late.checks);
  same("up", sum.up, late.up);
  same("down", sum.down, late.down);
  same("outages", found.down.outages, late.outages);
  within("observed", early.observed, found.sum.observed, late.observed);
  // The newest second of an open outage is known or not.
  auto const open = early.down_micros == late.down_micros ? 0 : plan_second;
  within("downtime", std::min(early.down_micros, late.down_micros) - open - 2 * static_cast<int>(late.outages),
         found.down.micros, late.down_micros + open + 2 * static_cast<int>(late.outages));
  same("has an average", sum.average_ms().has_value(), !late.times.empty());
  if (!late.times.empty()) {
    same("average", sum.average_ms().value_or(0), late.sum_ms / static_cast<std::int64_t>(late.times.size()));
    same("min", sum.min_ms.value_or(0), late.times.front());
    same("max", sum.max_ms.value_or(0), late.times.back());
    for (unsigned const percent : {50U, 90U, 95U, 99U}) {
      auto const rank = (late.times.size() * percent + 99) / 100;
      auto const exact = static_cast<long double>(late.times[rank - 1]);
      within(("p" + std::to_string(percent)).c_str(), exact * 0.975L, sum.times.percentile(percent).value_or(0),
             exact * 1.025L);
    }
  }
  auto const uptime = store::uptime_of(found.sum.observed, found.down.micros);
  within("has an uptime", early.observed > 0, uptime.has_value(), late.observed > 0);
  if (!uptime) return out;
  auto const up = std::max<std::int64_t>(0, found.sum.observed * plan_second - found.down.micros);
  auto const exact = up / found.sum.observed;  // microseconds of a second: ten-thousandths of a percent
  same("uptime", *uptime, found.down.micros > 0 ? std::min<std::int64_t>(exact, 999'999) : exact);
  same("less than 100 %", *uptime < 1'000'000, late.listed_with_downtime);
  return out;
}

/// Does the same for an hour of a bar. Its observed time is that of the clock before the request.
inline std::string difference(store::bar_cell const& found, expected_history const& early,
                              expected_history const& late) {
  std::string out;
  if (found.observed_seconds != early.observed)
    out += "observed is " + std::to_string(found.observed_seconds) + ", not " + std::to_string(early.observed) + "; ";
  auto const down = static_cast<long double>(found.down_micros);
  auto const open = early.down_micros == late.down_micros ? 0 : plan_second;
  auto const least = std::min(early.down_micros, late.down_micros) - open - 2 * static_cast<int>(late.outages);
  auto const most = late.down_micros + open + 2 * static_cast<int>(late.outages);
  if (down < least || down > most)
    out += "downtime is " + std::to_string(down) + ", not " + std::to_string(least) + " to " + std::to_string(most);
  return out;
}

}  // namespace svc::test
