// Compares the summaries of 24 hours to 365 days with a plain reading of the lists of results and outages.
// TEST_HISTORY_PLANS=n runs that many plans; TEST_HISTORY_SEED=n runs the plan of this seed.
#include "history_difference.hpp"
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "svc/store/monitors/check_history.hpp"
#include "svc/store/monitors/outage_store.hpp"
#include "svc/store/monitors/pack_store.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

using namespace svc;
using namespace svc::test;
using store::history_resolution;

namespace {

/// A database with monitors that went through their plans.
struct lived : watched_shop {
  explicit lived(std::uint32_t seed) : random(seed) {
    now = system_now().micros;
    auto const windows = windows_before(now, random, 2);
    for (auto const interval : {30, 60, 300, 3600}) add(plan_monitor(seed_of(seed), windows, interval, now));
    add(plan_monitor(seed_of(seed), {{now - 400 * plan_day, now}}, 86'400, now));
    add_decided();
    into_their_hours();
    pack();
  }

  /// Returns a separate seed for each monitor, so that the monitors of a seed are the same all day, except for their
  /// last hours.
  std::uint32_t seed_of(std::uint32_t plan) const { return plan * 16 + static_cast<std::uint32_t>(all.size()); }

  void add(planned_monitor made) {
    made.id = make_monitor(wanted_without_provider()).id;
    auto const& results = made.results;
    postgres::query raw{{"lived_results",
                         "INSERT INTO check_raw SELECT hour % 8, hour, $1, '00000000-0000-0000-0000-000000000000',"
                         " started, covers, result FROM unnest((SELECT $2::bigint[]), (SELECT $3::bigint[]), (SELECT"
                         " $4::bigint[]), (SELECT $5::bytea[])) r (hour, started, covers, result)"},
                        postgres::parameters(made.id)};
    raw.parameters.add_array(results, [](planned_result const& r) { return r.hour; });
    raw.parameters.add_array(results, [](planned_result const& r) { return r.kept.started_ms; });
    raw.parameters.add_array(results, [](planned_result const& r) { return r.covers; });
    raw.parameters.add_array(results, [](planned_result const& r) { return checks::packed({r.kept}); });
    must(std::move(raw));
    add_outages(made);
    late += "UPDATE check_raw SET hour = hour + 1, ring = (hour + 1) % 8 WHERE monitor_id = '" + made.id.to_string() +
            "' AND started_ms = ANY ('{";
    for (bool first = true; auto const& r : results) {
      if (r.hour == r.kept.started_ms / 3'600'000) continue;
      late += (first ? "" : ",") + std::to_string(r.kept.started_ms);
      first = false;
    }
    late += "}');";
    all.push_back(std::move(made));
  }
  void add_outages(planned_monitor const& monitor) {
    using row = planned_outage;
    postgres::query ask{
        {"lived_outages",
         "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason,"
         " cause, cause_message, cause_location, locations_down, excluded_seconds)"
         " SELECT gen_random_uuid(), $1, $2, began, began, ended, reason, 0, '', '', '{}', excluded"
         " FROM unnest((SELECT $3::timestamptz[]), (SELECT $4::timestamptz[]), (SELECT $5::text[]),"
         " (SELECT $6::bigint[])) o (began, ended, reason, excluded)"},
        postgres::parameters(project, monitor.id)};
    ask.parameters.add_array(monitor.outages, [](row const& o) { return timestamp{o.first}; });
    ask.parameters.add_array(monitor.outages,
                             [](row const& o) { return o.last ? std::optional(timestamp{*o.last}) : std::nullopt; });
    ask.parameters.add_array(monitor.outages,
                             [](row const& o) { return o.last ? std::optional(o.end) : std::nullopt; });
    ask.parameters.add_array(monitor.outages, [](row const& o) { return o.excluded; });
    must(std::move(ask));
    if (monitor.outages.empty() || monitor.outages.back().last) return;
    as_owner("UPDATE check_states SET covered = " + std::to_string(monitor.outages.back().known) +
             " WHERE monitor_id = '" + monitor.id.to_string() +
             "'; UPDATE monitor_status s SET verdict = 'down', outage_id = o.id FROM outages o"
             " WHERE o.monitor_id = s.monitor_id AND o.ended_at IS NULL AND s.monitor_id = '" +
             monitor.id.to_string() + "'");
  }
  /// Adds a monitor whose outages the service decides itself. Its interval is a day, so that its votes are fresh.
  void add_decided() {
    auto set = wanted_without_provider();
    set.frequency_seconds = 86'400;
    planned_monitor made{.id = make_monitor(set).id, .longest_interval = 720};
    planned_outage* open = nullptr;
    int left = 0;
    auto ended = checks::status::up;
    made.outages.reserve(500);
    for (auto position = now - 40 * plan_hour; position < now - 720 * plan_second; position += 720 * plan_second) {
      if (left-- <= 0) {
        left = 1 + static_cast<int>(random() % 9);
        ended = std::array{checks::status::up, checks::status::up, checks::status::down, checks::status::timeout,
                           checks::status::error}[random() % 5];
      }
      if (random() % 9 == 0) continue;  // missed
      auto result = result_at(made.id, 0, ended);
      result.kept.slot = result.kept.started_ms = position / 1000 + static_cast<std::int64_t>(random() % 900);
      result.covers = std::chrono::seconds(ended == checks::status::error ? 0 : 720);
      if (!decide(result).counted) FAIL("did not count");
      made.results.push_back({result.kept, result.covers.count(), result.kept.started_ms / 3'600'000});
      auto const begin = result.kept.started_ms * 1000;
      if (ended == checks::status::up && open != nullptr) {
        open->last = begin;
        open->excluded = std::max<std::int64_t>(0, (begin - open->first) / plan_second - open->known);
        open = nullptr;
      }
      if (ended != checks::status::down && ended != checks::status::timeout) continue;
      if (open == nullptr) open = &made.outages.emplace_back(planned_outage{.first = begin});
      open->known += 720;
    }
    all.push_back(std::move(made));
  }
  /// Packs up to a few hours ago, and as much of one more hour as fits into a small step. Skips hours without
  /// results.
  void pack() {
    as_owner(late + "UPDATE check_packing SET hour = 0");
    auto const last = now / plan_hour - 4;
    auto const next = [&](std::int64_t beyond) {
      return number({{"lived_next",
                      "UPDATE check_packing SET after = NULL, hour = coalesce((SELECT min(r.hour) FROM check_raw r"
                      " WHERE r.hour > $1 AND r.hour > check_packing.hour - 1), $2) RETURNING hour"},
                     postgres::parameters(beyond, last)});
    };
    for (auto hour = next(0); hour < last; hour = next(hour)) wait(packs.pack(soon()));
    must({{"lived_last", "UPDATE check_packing SET after = NULL, hour = $1"}, postgres::parameters(last)});
    store::pack_store few(pool, 150);
    wait(few.pack(soon()));
    wait(packs.drop_old({.result_days = 14}, soon()));
  }
  /// Returns the first hour in which this monitor's results are not packed.
  std::int64_t unpacked(uuid monitor) {
    return number({{"lived_unpacked", "SELECT CASE WHEN after >= $1 THEN hour + 1 ELSE hour END FROM check_packing"},
                   postgres::parameters(monitor)});
  }

  std::string period(planned_monitor const& monitor, std::int64_t first, std::int64_t last,
                     history_resolution resolution) {
    auto const width = resolution == history_resolution::hour ? plan_hour : plan_day;
    auto const begin = first / width * width, end = (last + width - 1) / width * width;
    auto const packed = unpacked(monitor.id);
    auto const before = system_now().micros;
    auto const found = wait(history.sum(monitor.id, {first}, {last}, resolution, soon()));
    auto const listed = listed_downtime(monitor, begin, end);
    auto const after = system_now().micros;
    auto out = difference(found, expect_history(monitor, begin, end, before, packed),
                          expect_history(monitor, begin, end, after, packed));
    auto const uptime = store::uptime_of(found.sum.observed, found.down.micros);
    if (uptime && (*uptime < 1'000'000) != listed) out += "the list of outages says otherwise; ";
    return out;
  }
  /// Returns true if the list of a time's outages has one that lasted longer than its unknown part.
  bool listed_downtime(planned_monitor const& monitor, std::int64_t first, std::int64_t last) {
    for (page_request wanted{.limit = 100};; ++wanted.number) {
      auto const found = wait(
          outages.list(project, monitor.id, {.start = timestamp{first}, .end = timestamp{last}}, wanted, soon()));
      if (std::ranges::any_of(found.rows, [](auto const& o) { return o.duration_seconds > o.excluded_seconds; }))
        return true;
      if (!found.next) return false;
    }
  }
  /// Compares each part, and checks that no expected part is missing.
  std::string series(planned_monitor const& monitor, std::int64_t first, std::int64_t last,
                     history_resolution resolution) {
    auto const width = resolution == history_resolution::hour ? plan_hour : plan_day;
    auto const packed = unpacked(monitor.id);
    auto const before = system_now().micros;
    auto const found = wait(history.series(monitor.id, {first}, {last}, resolution, soon()));
    auto const after = system_now().micros;
    std::vector<std::int64_t> expected, starts;
    for (auto const& result : monitor.results) {
      auto const start = result.hour * plan_hour / width * width;
      if (start >= first / width * width && start < last) expected.push_back(start);
    }
    std::ranges::sort(expected);
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    std::string out;
    for (auto const& each : found) {
      auto const start = each.start.micros;
      starts.push_back(start);
      auto const differs = difference(each, expect_history(monitor, start, start + width, before, packed),
                                      expect_history(monitor, start, start + width, after, packed));
      if (!differs.empty()) return to_rfc3339(each.start) + ": " + differs;
    }
    if (starts != expected)
      out += "there are " + std::to_string(starts.size()) + " parts, not " + std::to_string(expected.size()) + "; ";
    return out;
  }

  /// Compares each hour of a monitor's bar, which is read together with those of all monitors.
  std::string bar(planned_monitor const& monitor, std::vector<uuid> const& ids) {
    auto const before = system_now();
    auto const found = wait(history.bars(project, ids, before, soon()));
    auto const after = system_now().micros, packed = unpacked(monitor.id);
    auto const own = std::ranges::find(found, monitor.id, &store::monitor_bar::monitor);
    if (found.size() != all.size() || own == found.end()) return "bars are missing";
    std::string out;
    for (auto [i, start] = std::pair(0U, own->start.micros); i < own->cells.size(); ++i, start += plan_hour)
      out += difference(own->cells.at(i), expect_history(monitor, start, start + plan_hour, before.micros, packed),
                        expect_history(monitor, start, start + plan_hour, after, packed));
    return out;
  }

  /// Pauses some monitors and deletes all.
  void end_all() {
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto& value = all[i];
      auto const before = system_now().micros;
      if (i % 2 == 1) edit_monitor(*this, value.id, [](monitor_settings& set) { set.enabled = false; });
      REQUIRE(wait(monitors.remove(as_ed(), value.id, soon())).has_value());
      auto const newest = wait(outages.list(project, value.id, {}, {.limit = 1}, soon()));
      if (value.outages.empty() || value.outages.back().last) continue;
      auto& open = value.outages.back();
      CHECK(newest.rows.front().end_reason == (i % 2 == 1 ? "paused" : "deleted"));
      open.last = newest.rows.front().ended_at.value_or(timestamp{}).micros;
      CHECK(*open.last >= before);
      CHECK(*open.last <= system_now().micros);
      open.excluded = std::max<std::int64_t>(0, (*open.last - open.first) / plan_second - open.known);
    }
  }

  std::mt19937 random;
  std::int64_t now = 0;
  std::vector<planned_monitor> all{};
  std::string late{};
  store::pack_store packs{pool};
  store::check_history history{pool};
  store::outage_store outages{pool};
};

void check_all(lived& life) {
  auto const now = system_now().micros;
  std::array<std::pair<std::int64_t, history_resolution>, 5> const periods{{{1, history_resolution::hour},
                                                                            {7, history_resolution::hour},
                                                                            {30, history_resolution::day},
                                                                            {90, history_resolution::day},
                                                                            {365, history_resolution::day}}};
  for (std::size_t i = 0; i < life.all.size(); ++i) {
    auto const& value = life.all[i];
    CAPTURE(i);
    for (auto const& [days, agent] : periods) {
      CAPTURE(days);
      CHECK(life.period(value, now - days * plan_day, now, agent) == "");
    }
    for (int odd = 0; odd < 6; ++odd) {
      bool const by_hour = odd % 2 == 0;
      auto const most = (by_hour ? 13 : 399) * plan_day;
      auto const first = now - static_cast<std::int64_t>(life.random() % static_cast<std::uint64_t>(most));
      auto const last =
          first + static_cast<std::int64_t>(life.random() % static_cast<std::uint64_t>(now - first + 1));
      CAPTURE(first);
      CAPTURE(last);
      auto const resolution = by_hour ? history_resolution::hour : history_resolution::day;
      CHECK(life.period(value, first, last, resolution) == "");
      CHECK(life.series(value, first, last, resolution) == "");
    }
    CHECK(life.series(value, now - 13 * plan_day, now, history_resolution::hour) == "");
    CHECK(life.series(value, now - 400 * plan_day, now, history_resolution::day) == "");
  }
}

void check_plan(std::uint32_t seed) {
  CAPTURE(seed);
  lived life(seed);
  // The outages that the service opened and ended itself.
  auto const& decided = life.all.back();
  auto const own = life.wait(life.outages.list(life.project, decided.id, {}, {.limit = 100}, life.soon()));
  REQUIRE(own.rows.size() == decided.outages.size());
  for (std::size_t i = 0; i < own.rows.size(); ++i) {
    auto const& condition = own.rows[own.rows.size() - 1 - i];
    auto const& expected = decided.outages[i];
    CHECK(condition.started_at.micros == expected.first);
    CHECK(condition.ended_at.has_value() == expected.last.has_value());
    if (!condition.ended_at || !expected.last) continue;
    CHECK(condition.ended_at->micros == *expected.last);
    CHECK(condition.excluded_seconds == expected.excluded);
  }
  check_all(life);
  std::vector<uuid> ids;
  for (auto const& each : life.all) ids.push_back(each.id);
  for (auto const& each : life.all) CHECK(life.bar(each, ids) == "");
  life.end_all();
  check_all(life);
}

}  // namespace

TEST_CASE("the summary of 24 hours to 365 days equals results and outages, over gaps, pauses and deletions") {
  auto const* text = std::getenv("TEST_HISTORY_SEED");
  if (text != nullptr) return check_plan(static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)));
  auto const* wanted = std::getenv("TEST_HISTORY_PLANS");
  auto const plans = wanted == nullptr ? 2 : std::strtoul(wanted, nullptr, 10);
  for (std::uint32_t seed = 1; seed <= plans; ++seed) check_plan(seed);
}
