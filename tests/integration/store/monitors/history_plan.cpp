#include "history_plan.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace svc::test {
namespace {

/// Days since 1970 on which clocks change in Berlin and New York.
std::vector<std::int64_t> changes_of_clocks(std::int64_t from, std::int64_t to) {
  using namespace std::chrono;
  auto const year_of = [](std::int64_t day) { return year_month_day(sys_days(days(day))).year(); };
  std::vector<std::int64_t> out;
  for (auto y = year_of(from); y <= year_of(to); ++y) {
    for (auto const day :
         {sys_days(y / March / Sunday[std::chrono::last]), sys_days(y / October / Sunday[std::chrono::last]),
          sys_days(y / March / Sunday[2]), sys_days(y / November / Sunday[1])}) {
      auto const at = day.time_since_epoch().count();
      if (at >= from && at <= to) out.push_back(at);
    }
  }
  return out;
}

class life {
 public:
  life(std::mt19937& random, planned_monitor& out, std::int64_t interval)
      : random_(random), out_(out), interval_(interval) {}

  void live(planned_window const& in) {
    for (auto slot = in.from + below(interval_) * plan_second; slot < in.to; slot += interval_ * plan_second) {
      if (left_-- <= 0) change(slot);
      if (slot < away_until_) continue;
      check(slot + below(900) * 1000);
    }
    if (open()) end(in.to + below(600) * plan_second, "paused");
  }
  /// The last one stays open if it is.
  void live_until(planned_window const& in, std::int64_t now) {
    auto const before = out_.outages.size();
    live(in);
    if (out_.outages.size() == before || out_.outages.back().end != "paused" || *out_.outages.back().to < in.to)
      return;
    if (in.to < now) return;
    out_.outages.back().to.reset();
    out_.outages.back().excluded = 0;
  }

 private:
  enum class mood { good, bad, erring };

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  bool open() const { return open_; }

  void change(std::int64_t at) {
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
        away_until_ = at + (1 + below(20)) * interval_ * plan_second;
        return;  // missed
      case 4:
        interrupt(at, "paused");
        away_until_ = at + (1 + below(50)) * interval_ * plan_second;
        return;
      case 5:
        interrupt(at, "edited");
        return;
      case 6:
        interrupt(at, "edited");
        if (interval_ < 3600) interval_ = std::array{30, 60, 300, 600}[static_cast<std::size_t>(below(4))];
        return;
      default:
        mood_ = mood::good;
        return;
    }
  }
  void interrupt(std::int64_t at, char const* why) {
    // Also within the second of the check that failed, which had begun after its slot.
    if (open_) end(std::max(at, out_.outages.back().from) + below(2) * below(plan_second), why);
    mood_ = mood::good;
  }
  void end(std::int64_t at, char const* why) {
    auto& last = out_.outages.back();
    last.to = std::max(at, last.from);
    last.end = why;
    last.excluded = std::max<std::int64_t>(0, (*last.to - last.from) / plan_second - last.known);
    open_ = false;
  }
  void check(std::int64_t at) {
    planned_result one;
    one.covers = mood_ == mood::erring ? 0 : interval_;
    one.kept.slot = one.kept.started_ms = at / 1000;
    one.hour = at / plan_hour + (below(50) == 0 && at % plan_hour > plan_hour - 55 * plan_second ? 1 : 0);
    one.kept.degraded = below(20) == 0;
    one.kept.attempts = 1 + static_cast<std::uint32_t>(below(3));
    switch (mood_) {
      case mood::good:
        good(one, at);
        break;
      case mood::bad:
        bad(one, at);
        break;
      case mood::erring:
        one.kept.ended = checks::status::error;
        one.kept.why = checks::code::resolver_unreachable;
        break;
    }
    out_.longest_interval = std::max(out_.longest_interval, interval_);
    out_.results.push_back(one);
  }
  void good(planned_result& one, std::int64_t at) {
    if (open_) end(at / 1000 * 1000, "recovered");
    one.kept.response_time_ms = static_cast<std::uint32_t>(std::exp(static_cast<double>(below(11'000)) / 1000));
    one.kept.status_code = 200;
    one.kept.phases.first_byte_ms = *one.kept.response_time_ms / 2;
  }
  void bad(planned_result& one, std::int64_t at) {
    one.kept.ended = below(3) == 0 ? checks::status::timeout : checks::status::down;
    one.kept.why =
        one.kept.ended == checks::status::down ? checks::code::connect_refused : checks::code::connect_timeout;
    if (below(2) == 0) one.kept.response_time_ms = 10'000;  // of which no sum knows
    if (!open_) {
      // Below its threshold for once.
      if (left_ == 0 && below(2) == 0) return;
      out_.outages.push_back({.from = at / 1000 * 1000});
      open_ = true;
    }
    out_.outages.back().known += one.covers;
  }

  std::mt19937& random_;
  planned_monitor& out_;
  std::int64_t interval_, left_ = 0, away_until_ = 0;
  mood mood_ = mood::good;
  bool open_ = false;
};

/// Outages of moments around the begin of a day, where none is.
void add_edges(std::mt19937& random, planned_monitor& to, std::vector<planned_window> const& windows) {
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
  for (auto const& in : windows) {
    auto const midnight = (in.from + plan_day - 1) / plan_day * plan_day;
    if (midnight >= in.to) continue;
    auto const& one = edges[random() % edges.size()];
    planned_outage const added{
        .from = midnight + one.before, .to = midnight + one.after, .excluded = one.excluded, .end = "edited"};
    bool const meets = std::ranges::any_of(to.outages, [&](planned_outage const& each) {
      return each.from <= *added.to + plan_hour && each.to.value_or(added.from) >= added.from - plan_hour;
    });
    if (!meets) to.outages.push_back(added);
  }
  std::ranges::sort(to.outages, {}, &planned_outage::from);
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
    auto const from = day * plan_day - static_cast<std::int64_t>(random() % 4) * plan_hour;
    auto const to =
        day == days.back() ? now : (day + 1) * plan_day - static_cast<std::int64_t>(random() % 5) * plan_hour;
    if (!out.empty() && from < out.back().to) continue;
    out.push_back({from, to});
  }
  out.back().to = now;
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

expected_history expect_history(planned_monitor const& of, std::int64_t from, std::int64_t to, std::int64_t now,
                                std::int64_t packed) {
  expected_history out;
  for (auto const& one : of.results) {
    if (one.hour * plan_hour < from || one.hour * plan_hour >= to) continue;
    ++out.checks;
    auto const begun = (now - one.kept.started_ms * 1000 + plan_second - 1) / plan_second;
    out.observed += one.hour >= packed ? std::min(one.covers, begun) : one.covers;
    out.down += one.kept.ended == checks::status::down || one.kept.ended == checks::status::timeout ? 1 : 0;
    if (one.kept.ended != checks::status::up) continue;
    ++out.up;
    out.sum_ms += *one.kept.response_time_ms;
    out.times.push_back(*one.kept.response_time_ms);
  }
  std::ranges::sort(out.times);
  out.observed = std::min(out.observed, (std::min(to, now) - from + plan_second - 1) / plan_second);
  for (auto const& each : of.outages) {
    auto const end = each.to.value_or(now);
    if (each.from >= to || end <= from) continue;
    ++out.outages;
    auto const lasted = end - each.from;
    auto const excluded = each.to ? each.excluded : std::max<std::int64_t>(0, lasted / plan_second - each.known);
    auto const known = lasted - excluded * plan_second;
    if (known <= 0) continue;
    out.listed_with_downtime = true;
    out.down_micros += static_cast<long double>(std::min(end, to) - std::max(each.from, from)) * known / lasted;
  }
  return out;
}

}  // namespace svc::test
