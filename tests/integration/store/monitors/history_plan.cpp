#include "history_plan.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace svc::test {
namespace {

/// Days since 1970 on which clocks change in Berlin and New York.
std::vector<std::int64_t> changes_of_clocks(std::int64_t first, std::int64_t last) {
  using namespace std::chrono;
  auto const year_of = [](std::int64_t day) { return year_month_day(sys_days(days(day))).year(); };
  std::vector<std::int64_t> out;
  for (auto y = year_of(first); y <= year_of(last); ++y) {
    for (auto const day :
         {sys_days(y / March / Sunday[std::chrono::last]), sys_days(y / October / Sunday[std::chrono::last]),
          sys_days(y / March / Sunday[2]), sys_days(y / November / Sunday[1])}) {
      auto const position = day.time_since_epoch().count();
      if (position >= first && position <= last) out.push_back(position);
    }
  }
  return out;
}

class life {
 public:
  life(std::mt19937& random, planned_monitor& out, std::int64_t interval)
      : random_(random), out_(out), interval_(interval) {}

  void live(planned_window const& window) {
    for (auto slot = window.first + below(interval_) * plan_second; slot < window.last;
         slot += interval_ * plan_second) {
      if (left_-- <= 0) change(slot);
      if (slot < away_until_) continue;
      check(slot + below(900) * 1000);
    }
    if (open()) end(window.last + below(600) * plan_second, "paused");
  }
  /// The last one stays open if it is.
  void live_until(planned_window const& window, std::int64_t now) {
    auto const before = out_.outages.size();
    live(window);
    if (out_.outages.size() == before || out_.outages.back().end != "paused" ||
        *out_.outages.back().last < window.last)
      return;
    if (window.last < now) return;
    out_.outages.back().last.reset();
    out_.outages.back().excluded = 0;
  }

 private:
  enum class mood { good, bad, erring };

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  bool open() const { return open_; }

  void change(std::int64_t position) {
    left_ = 1 + below(40);
    switch (below(9)) {
      case 0:
      case 1:
        mood_ = mood::bad;
        left_ = 1 + below(below(4) == 0 ? 60 : 5);
        return;
      case 2:
        mood_ = mood::erring;
        left_ = 1 + below(4);
        return;
      case 3:
        away_until_ = position + (1 + below(20)) * interval_ * plan_second;
        return;  // missed
      case 4:
        interrupt(position, "paused");
        away_until_ = position + (1 + below(50)) * interval_ * plan_second;
        return;
      case 5:
        interrupt(position, "edited");
        return;
      case 6:
        interrupt(position, "edited");
        if (interval_ < 3600) interval_ = std::array{30, 60, 300, 600}[static_cast<std::size_t>(below(4))];
        return;
      default:
        mood_ = mood::good;
        return;
    }
  }
  void interrupt(std::int64_t position, char const* reason) {
    // Also within the second of the check that failed, which had begun after its slot.
    if (open_) end(std::max(position, out_.outages.back().first) + below(2) * below(plan_second), reason);
    mood_ = mood::good;
  }
  void end(std::int64_t position, char const* reason) {
    auto& last = out_.outages.back();
    last.last = std::max(position, last.first);
    last.end = reason;
    last.excluded = std::max<std::int64_t>(0, (*last.last - last.first) / plan_second - last.known);
    open_ = false;
  }
  void check(std::int64_t position) {
    planned_result result;
    result.covers = mood_ == mood::erring ? 0 : interval_;
    result.kept.slot = result.kept.started_ms = position / 1000;
    result.hour =
        position / plan_hour + (below(50) == 0 && position % plan_hour > plan_hour - 55 * plan_second ? 1 : 0);
    result.kept.degraded = below(20) == 0;
    result.kept.attempts = 1 + static_cast<std::uint32_t>(below(3));
    switch (mood_) {
      case mood::good:
        good(result, position);
        break;
      case mood::bad:
        bad(result, position);
        break;
      case mood::erring:
        result.kept.ended = checks::status::error;
        result.kept.code = checks::code::resolver_unreachable;
        break;
    }
    out_.longest_interval = std::max(out_.longest_interval, interval_);
    out_.results.push_back(result);
  }
  void good(planned_result& result, std::int64_t position) {
    if (open_) end(position / 1000 * 1000, "recovered");
    result.kept.response_time_ms = static_cast<std::uint32_t>(std::exp(static_cast<double>(below(11'000)) / 1000));
    result.kept.status_code = 200;
    result.kept.phases.first_byte_ms = *result.kept.response_time_ms / 2;
  }
  void bad(planned_result& result, std::int64_t position) {
    result.kept.ended = below(3) == 0 ? checks::status::timeout : checks::status::down;
    result.kept.code =
        result.kept.ended == checks::status::down ? checks::code::connect_refused : checks::code::connect_timeout;
    if (below(2) == 0) result.kept.response_time_ms = 10'000;  // of which no sum knows
    if (!open_) {
      // Below its threshold for once.
      if (left_ == 0 && below(2) == 0) return;
      out_.outages.push_back({.first = position / 1000 * 1000});
      open_ = true;
    }
    out_.outages.back().known += result.covers;
  }

  std::mt19937& random_;
  planned_monitor& out_;
  std::int64_t interval_, left_ = 0, away_until_ = 0;
  mood mood_ = mood::good;
  bool open_ = false;
};

/// Outages of moments around the begin of a day, where none is.
void add_edges(std::mt19937& random, planned_monitor& monitor, std::vector<planned_window> const& windows) {
  struct edge {
    std::int64_t before, after;  ///< the day's begin, in microseconds
    std::int64_t excluded;       ///< seconds
  };
  constexpr std::array<edge, 7> edges{{{-1, 1, 0},
                                       {0, 1, 0},
                                       {-1, 0, 0},
                                       {-300'000, 0, 0},
                                       {1, 61 * plan_second, 0},
                                       {-90 * plan_second, 1, 30},
                                       {-1, 90 * plan_second, 30}}};
  for (auto const& window : windows) {
    auto const midnight = (window.first + plan_day - 1) / plan_day * plan_day;
    if (midnight >= window.last) continue;
    auto const& entry = edges[random() % edges.size()];
    planned_outage const added{.first = midnight + entry.before,
                               .last = midnight + entry.after,
                               .excluded = entry.excluded,
                               .end = "edited"};
    bool const meets = std::ranges::any_of(monitor.outages, [&](planned_outage const& each) {
      return each.first <= *added.last + plan_hour && each.last.value_or(added.first) >= added.first - plan_hour;
    });
    if (!meets) monitor.outages.push_back(added);
  }
  std::ranges::sort(monitor.outages, {}, &planned_outage::first);
}

}  // namespace

std::vector<planned_window> windows_before(std::int64_t now, std::mt19937& random, int others) {
  auto const today = now / plan_day;
  auto days = changes_of_clocks(today - 399, today - 3);
  days.push_back(today - 1);
  for (int i = 0; i < others; ++i)
    days.push_back(today - 3 - static_cast<std::int64_t>(random() % (i == 0 ? 9 : 390)));
  std::ranges::sort(days);
  days.erase(std::unique(days.begin(), days.end()), days.end());
  std::vector<planned_window> out;
  for (auto const day : days) {
    // Some reach over the day's begin, or are over before its end.
    auto const first = day * plan_day - static_cast<std::int64_t>(random() % 4) * plan_hour;
    auto const last =
        day == days.back() ? now : (day + 1) * plan_day - static_cast<std::int64_t>(random() % 5) * plan_hour;
    if (!out.empty() && first < out.back().last) continue;
    out.push_back({first, last});
  }
  out.back().last = now;
  return out;
}

planned_monitor plan_monitor(std::uint32_t seed, std::vector<planned_window> const& windows, std::int64_t interval,
                             std::int64_t now) {
  std::mt19937 random(seed);
  planned_monitor out;
  life living(random, out, interval);
  for (auto const& each : windows) living.live_until(each, now);
  add_edges(random, out, windows);
  return out;
}

expected_history expect_history(planned_monitor const& monitor, std::int64_t first, std::int64_t last,
                                std::int64_t now, std::int64_t packed) {
  expected_history out;
  for (auto const& result : monitor.results) {
    if (result.hour * plan_hour < first || result.hour * plan_hour >= last) continue;
    ++out.checks;
    auto const begun = std::max<std::int64_t>(0, now - result.kept.started_ms * 1000) / plan_second;
    out.observed += result.hour >= packed ? std::min(result.covers, begun) : result.covers;
    out.down += result.kept.ended == checks::status::down || result.kept.ended == checks::status::timeout ? 1 : 0;
    if (result.kept.ended != checks::status::up) continue;
    ++out.up;
    out.sum_ms += *result.kept.response_time_ms;
    out.times.push_back(*result.kept.response_time_ms);
  }
  std::ranges::sort(out.times);
  out.observed = std::min(out.observed, (std::min(last, now) - first + plan_second - 1) / plan_second);
  for (auto const& each : monitor.outages) {
    auto const end = each.last.value_or(now);
    if (each.first >= last || end <= first) continue;
    ++out.outages;
    auto const lasted = end - each.first;
    auto const excluded = each.last ? each.excluded : std::max<std::int64_t>(0, lasted / plan_second - each.known);
    auto const known = lasted - excluded * plan_second;
    if (known <= 0) continue;
    out.listed_with_downtime = true;
    out.down_micros += static_cast<long double>(std::min(end, last) - std::max(each.first, first)) * known / lasted;
  }
  return out;
}

}  // namespace svc::test
