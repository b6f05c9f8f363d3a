// Lists of a project's outages, compared with a plain reading of all outages.
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "svc/store/monitors/outage_store.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

using namespace svc;
using namespace svc::test;

namespace {

constexpr std::int64_t minute = 60'000'000;

struct made_outage {
  uuid id{}, monitor{}, project{};
  timestamp start{};
  std::optional<timestamp> end{};
};

/// Monitors of two projects, some of them deleted, with outages that do not overlap.
struct troubled : watched_shop {
  explicit troubled(std::uint32_t seed) : random(seed) {
    fill_monitors(12);
    as_owner("UPDATE monitors SET project_id = '" + other_project.to_string() + "' WHERE name LIKE '% 1_'");
    auto const found = must({{"all_monitors", "SELECT id, project_id, name FROM monitors ORDER BY name"}});
    for (int i = 0; i < found.size(); ++i) {
      names[found[i].id(0)] = found[i].text(2);
      add_outages(found[i].id(0), found[i].id(1));
    }
    as_owner(
        "UPDATE monitors m SET deleted_at = now(), enabled = false WHERE name IN ('site 3', 'site 4') AND NOT EXISTS"
        " (SELECT FROM outages o WHERE o.monitor_id = m.id AND o.ended_at IS NULL)");
  }

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); }

  void add_outages(uuid monitor, uuid owner) {
    auto time = now - 600 * minute + below(60) * minute;
    while (time < now - 10 * minute) {
      made_outage made{.id = uuid::generate_v7(), .monitor = monitor, .project = owner, .start = {time}};
      time += below(40) * minute;
      // Some begin where the previous one ended, and some are moments; no two start at the same time.
      if (time < now - 5 * minute || below(2) == 0) made.end = timestamp{std::min(time, now)};
      time += below(3) * below(60) * minute + (time == made.start.micros ? 1000 : 0);
      must({{"made_outage",
             "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason, cause,"
             " cause_message, cause_location, locations_down) VALUES ($1, $2, $3, $4, $4, $5, CASE WHEN "
             "$5::timestamptz"
             " IS NOT NULL THEN 'recovered' END, 0, '', 'local', '{local}')"},
            postgres::parameters(made.id, owner, monitor, made.start, made.end)});
      all.push_back(made);
      if (!made.end) return;
    }
  }

  /// Returns the ids of all that the filter admits, by reading every outage.
  std::vector<uuid> expected(std::optional<uuid> monitor, store::outage_filter const& filter) const {
    std::vector<made_outage> out;
    for (auto const& each : all) {
      bool const admitted = each.project == project && (!monitor || each.monitor == *monitor) &&
                            (!filter.start || !each.end || *each.end > *filter.start) &&
                            (!filter.end || each.start < *filter.end) &&
                            (!filter.open || *filter.open == !each.end.has_value());
      if (admitted) out.push_back(each);
    }
    std::ranges::sort(out, [](made_outage const& a, made_outage const& b) {
      return std::pair(a.start.micros, a.id) > std::pair(b.start.micros, b.id);
    });
    std::vector<uuid> ids;
    for (auto const& each : out) ids.push_back(each.id);
    return ids;
  }

  /// Follows the pages of this size by keys, or by their numbers.
  std::vector<uuid> listed(std::optional<uuid> monitor, store::outage_filter const& filter, std::int64_t limit,
                           bool by_key) {
    std::vector<uuid> out;
    for (page_request wanted{.limit = limit};; ++wanted.number) {
      auto const found = wait(outages.list_of_project(project, monitor, filter, wanted, soon()));
      for (auto const& row : found.rows) {
        out.push_back(row.subject.id);
        CHECK(row.monitor_name == names.at(row.subject.monitor));
      }
      if (!found.next) {
        CHECK(found.total == static_cast<std::int64_t>(out.size()));
        return out;
      }
      if (by_key) wanted.after = found.next;
    }
  }

  std::int64_t now = system_now().micros / 1000 * 1000;
  std::mt19937 random;
  std::map<uuid, std::string> names{};
  std::vector<made_outage> all{};
  store::outage_store outages{pool};
};

}  // namespace

TEST_CASE("the outages of a project are those of a plain reading, for any filter and page") {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    troubled db(seed);
    for (int i = 0; i < 60; ++i) {
      store::outage_filter filter;
      if (db.below(2) == 0) filter.start = timestamp{db.now - db.below(620) * minute};
      if (db.below(2) == 0) filter.end = timestamp{db.now - db.below(620) * minute};
      // A bound may be that of an outage itself.
      auto const& some = db.all[static_cast<std::size_t>(db.below(static_cast<std::int64_t>(db.all.size())))];
      if (db.below(4) == 0) filter.start = some.end;
      if (db.below(4) == 0) filter.end = some.start;
      if (db.below(3) == 0) filter.open = db.below(2) == 0;
      std::optional<uuid> monitor;
      if (db.below(4) == 0) monitor = some.monitor;
      CAPTURE(seed);
      CAPTURE(i);
      CHECK(db.listed(monitor, filter, 1 + db.below(30), db.below(2) == 0) == db.expected(monitor, filter));
    }
  }
}

TEST_CASE("the outages of a project have their facts, and those of other projects and monitors are left out") {
  watched_shop db;
  store::outage_store outages(db.pool);
  auto const id = db.make_monitor().id, quiet = db.make_monitor().id;
  db.decide(db.result_at(id, 0, checks::status::down));
  auto const list = [&](uuid project, std::optional<uuid> monitor = {}) {
    return db.wait(outages.list_of_project(project, monitor, {}, {}, db.soon())).rows;
  };
  auto const all = list(db.project);
  REQUIRE(all.size() == 1);
  CHECK(all[0].monitor_name == "site");
  CHECK(all[0].subject.cause.which == checks::code::connect_refused);
  CHECK(all[0].subject.duration_seconds > 30);
  CHECK(all[0].subject.locations_down == std::vector<std::string>{"local"});
  CHECK(list(db.project, id).size() == 1);
  CHECK(list(db.project, quiet).empty());
  CHECK(list(db.other_project).empty());
  CHECK(list(db.other_project, id).empty());
  CHECK(list(db.project, uuid::generate_v7()).empty());
}

TEST_CASE("more than 10 000 outages of a project have an estimated total") {
  watched_shop db;
  store::outage_store outages(db.pool);
  auto const id = db.make_monitor().id;
  db.as_owner(
      "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason, cause,"
      " cause_message, cause_location, locations_down) SELECT gen_random_uuid(), '" +
      db.project.to_string() + "', '" + id.to_string() +
      "', t, t, t + interval '1 second', 'recovered', 0, '', '', '{}' FROM (SELECT now() - n * interval '1 minute' "
      "AS t"
      " FROM generate_series(1, 10010) n) t; ANALYZE outages");
  auto const found = db.wait(outages.list_of_project(db.project, {}, {}, {}, db.soon()));
  CHECK(found.rows.size() == 20);
  CHECK(found.total > 10'000);
  CHECK(found.total_is_estimate);
  auto const beyond = db.wait(outages.list_of_project(db.project, {}, {}, {.number = 502}, db.soon()));
  CHECK(beyond.too_deep);
}

namespace {

/// Gives each of 1 000 monitors in each of two projects 40 outages in 80 hours, a few of them open.
void fill_outages(watched_shop& db) {
  db.fill_monitors(2000);
  db.as_owner(
      "UPDATE monitors SET project_id = '" + db.other_project.to_string() +
      "' WHERE right(name, 1) IN ('1', '3', '5', '7', '9');"
      "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason, cause,"
      " cause_message, cause_location, locations_down) SELECT gen_random_uuid(), project_id, id, t, t, CASE WHEN n > "
      "1"
      " OR name NOT LIKE '%12' THEN t + interval '5 minutes' END, CASE WHEN n > 1 OR name NOT LIKE '%12' THEN"
      " 'recovered' END, 1, '', 'local', '{local}' FROM (SELECT m.*, n, now() - n * interval '2 hours' AS t FROM"
      " monitors m, generate_series(1, 40) n) o");
  db.as_owner("VACUUM ANALYZE outages");
}

}  // namespace

TEST_CASE("outages of a project are counted and listed from indexes, planned for their times") {
  watched_shop db;
  fill_outages(db);
  timestamp const hours_ago{system_now().micros - 5 * 60 * minute};
  struct {
    store::outage_filter filter;
    std::vector<char const*> indexes;
  } const cases[] = {
      {{}, {"using outages_of_project"}},
      {{.open = false}, {"using outages_of_project"}},
      {{.start = hours_ago}, {"outages_of_project", "using outages_of_monitor"}},
      {{.start = hours_ago, .end = hours_ago, .open = false}, {"outages_of_project", "using outages_of_monitor"}},
      {{.end = hours_ago}, {"using outages_of_project"}},
  };
  for (auto const& c : cases) {
    auto ask = store::project_outages_query(db.project, {}, c.filter, {});
    REQUIRE(ask.statement.planned_each_time);
    std::string const sql = "EXPLAIN (ANALYZE, TIMING OFF, BUFFERS) " + std::string(ask.statement.sql);
    ask.statement = {"outages_explain", sql, true};
    auto const lines = db.must(std::move(ask));
    std::string plan;
    for (int i = 0; i < lines.size(); ++i) plan += std::string(lines[i].text(0)) + "\n";
    if (std::getenv("SVC_SHOW_PLANS") != nullptr) std::printf("== outages of a project\n%s\n", plan.c_str());
    CAPTURE(plan);
    for (auto const* index : c.indexes) CHECK(plan.find(index) != std::string::npos);
    CHECK(plan.find("Seq Scan on outages") == std::string::npos);
    CHECK(plan.find("Seq Scan on monitors") == std::string::npos);
  }
}

TEST_CASE("open outages of a project, and those of a monitor, have indexes of their own in any plan") {
  watched_shop db;
  fill_outages(db);
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::outage_store outages(pool);
  auto const open = db.wait(outages.list_of_project(db.project, {}, {.open = true}, {}, db.soon()));
  REQUIRE(open.total == 20);
  auto const monitor = open.rows.front().subject.monitor;
  CHECK(db.wait(outages.list_of_project(db.project, monitor, {}, {}, db.soon())).total == 40);
  std::string const project = "'" + db.project.to_string() + "', ", page = ", 21, 0, NULL, NULL";
  std::vector<plan_case> const cases{
      {"outage_list_open_of_project", project + "NULL, NULL, NULL, true" + page, {"outages_open_of_project"}},
      {"outage_list_of_monitor",
       project + "'" + monitor.to_string() + "', NULL, NULL, NULL" + page,
       {"outages_of_monitor"}},
  };
  db.check_plans(pool, cases, [](plan_case const&, std::string const& plan) {
    CHECK(plan.find("Seq Scan on outages") == std::string::npos);
    CHECK(plan.find("Seq Scan on monitors") == std::string::npos);
  });
}
