// Random results and maintenance windows: the part of outages that is excluded, the summary and its percentage are
// compared with a count of seconds. TEST_QUIET_PLANS=n runs that many plans; TEST_HISTORY_SEED=n runs the plan of
// this seed.
#include "quiet_shop.hpp"

#include "svc/store/monitors/check_history.hpp"
#include "svc/store/monitors/outage_store.hpp"

#include <array>
#include <cstdlib>
#include <random>
#include <vector>

using namespace svc;
using namespace svc::test;
using checks::status;

namespace {

constexpr std::int64_t oracle_second = 1'000'000;
constexpr int oracle_slots = 150, oracle_every = 120, oracle_seconds = oracle_slots * oracle_every;

/// An outage in seconds from the start of the plan.
struct counted_outage {
  int first = 0, last = 0;
  std::int64_t excluded = 0;
};

/// The meaning of a plan's results, second by second.
struct counted_seconds {
  std::array<bool, oracle_seconds> excluded{}, observed{}, down{};

  std::int64_t in_all(std::array<bool, oracle_seconds> const& which, int first, int last) const {
    return std::count(which.begin() + first, which.begin() + last, true);
  }
};

struct quiet_plan : hold_shop {
  explicit quiet_plan(std::uint32_t seed) : random(seed) {
    auto set = wanted_without_provider();
    set.frequency_seconds = 86'400;  // so that its votes are fresh
    id = make_monitor(set).id;
    start = (system_now().micros / oracle_second - oracle_seconds - 60) * oracle_second;
    make_windows();
    make_results();
    into_their_hours();
    as_owner("UPDATE check_packing SET after = NULL, hour = " + std::to_string(start / (3600 * oracle_second)));
  }

  /// Windows of any length from a second to an hour, which may overlap. One of three does not exclude its time.
  void make_windows() {
    for (int i = 0; i < 9; ++i) {
      int const first = static_cast<int>(random() % oracle_seconds), length = 1 + static_cast<int>(random() % 3600);
      bool const excludes = i % 3 != 0;
      windows.push_back({{start + first * oracle_second}, {start + (first + length) * oracle_second}, excludes});
      for (int offset = first; offset < std::min(first + length, oracle_seconds) && excludes; ++offset)
        counted.excluded[static_cast<std::size_t>(offset)] = true;
    }
  }
  void make_results() {
    auto now = status::up;
    for (int slot = 0, left = 0; slot < oracle_slots; ++slot) {
      if (left-- <= 0) {
        left = 1 + static_cast<int>(random() % 9);
        now = std::array{status::up, status::up, status::down, status::timeout, status::error}[random() % 5];
      }
      bool const is_last = slot == oracle_slots - 1;
      if (!is_last && random() % 9 == 0) continue;  // missed
      count_result(slot * oracle_every, is_last ? status::up : now);
    }
  }
  void count_result(int offset, status ended) {
    bool const good = ended == status::up, bad = ended == status::down || ended == status::timeout;
    auto result = result_at(id, 0, ended);
    result.kept.slot = result.kept.started_ms = start / 1000 + std::int64_t{offset} * 1000;
    result.covers = std::chrono::seconds(good || bad ? oracle_every : 0);
    store::mark_maintenance(result, windows);
    bool const inside = std::ranges::any_of(windows, [&](alerting::quiet_time const& each) {
      return each.starts_at.micros <= start + offset * oracle_second &&
             start + offset * oracle_second < each.ends_at.micros;
    });
    CHECK(result.kept.maintenance == inside);
    REQUIRE(decide(std::move(result)).counted);
    for (int i = offset; i < offset + oracle_every && (good || bad); ++i)
      counted.observed[static_cast<std::size_t>(i)] = !counted.excluded[static_cast<std::size_t>(i)];
    if (bad && !open) outages.push_back({.first = offset});
    if (good && open) end_outage(offset);
    open = bad || (open && !good);
  }
  void end_outage(int offset) {
    auto& outage = outages.back();
    outage.last = offset;
    for (int i = outage.first; i < offset; ++i)
      counted.down[static_cast<std::size_t>(i)] = counted.observed[static_cast<std::size_t>(i)];
    outage.excluded = offset - outage.first - counted.in_all(counted.observed, outage.first, offset);
  }

  std::mt19937 random;
  uuid id{};
  std::int64_t start = 0;
  bool open = false;
  std::vector<alerting::quiet_time> windows{};
  std::vector<counted_outage> outages{};
  counted_seconds counted{};
};

void check_quiet_list(quiet_plan& plan) {
  store::outage_store outages(plan.pool);
  auto const found = plan.wait(outages.list(plan.project, plan.id, {}, {.limit = 100}, plan.soon())).rows;
  REQUIRE(found.size() == plan.outages.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto const& outage = found[found.size() - 1 - i];
    auto const& expected = plan.outages[i];
    CHECK(outage.started_at.micros == plan.start + expected.first * oracle_second);
    REQUIRE(outage.ended_at.has_value());
    CHECK(outage.ended_at->micros == plan.start + expected.last * oracle_second);
    CHECK(outage.excluded_seconds == expected.excluded);
  }
}

void check_quiet_summary(quiet_plan& plan) {
  store::check_history history(plan.pool);
  constexpr std::int64_t hour = 3600 * oracle_second;
  timestamp const first{plan.start / hour * hour}, last{plan.start / hour * hour + 7 * hour};
  auto const found = plan.wait(history.sum(plan.id, first, last, store::history_resolution::hour, plan.soon()));
  auto const observed = plan.counted.in_all(plan.counted.observed, 0, oracle_seconds);
  auto const down = plan.counted.in_all(plan.counted.down, 0, oracle_seconds);
  CHECK(found.sum.observed == observed);
  CHECK(found.down.micros == down * oracle_second);
  // The list says the same as the percentage.
  std::int64_t listed = 0;
  for (auto const& each : plan.outages) listed += each.last - each.first - each.excluded;
  CHECK(listed == down);
  CHECK(store::uptime_of(found.sum.observed, found.down.micros) ==
        store::uptime_of(observed, listed * oracle_second));
}

void check_quiet_plan(std::uint32_t seed) {
  CAPTURE(seed);
  quiet_plan plan(seed);
  check_quiet_list(plan);
  check_quiet_summary(plan);
}

}  // namespace

TEST_CASE("time in maintenance counts neither as up nor as down: percentage and outages agree with each second") {
  if (auto const* seed = std::getenv("TEST_HISTORY_SEED"))
    return check_quiet_plan(static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 10)));
  auto const* wanted = std::getenv("TEST_QUIET_PLANS");
  auto const plans = wanted == nullptr ? 2 : std::strtoul(wanted, nullptr, 10);
  for (std::uint32_t seed = 1; seed <= plans; ++seed) check_quiet_plan(seed);
}
