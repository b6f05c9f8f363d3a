// Dependencies of monitors: their number, cycles that concurrent changes would close, and plans of the decisions'
// reads.
#include "quiet_shop.hpp"

#include "support/together.hpp"

#include <atomic>
#include <vector>

using namespace svc;
using namespace svc::test;

namespace {

struct dependent_shop : hold_shop {
  /// Changes the parents of a monitor through a pool of its own, as another instance would.
  result<monitor> set_parents(uuid id, std::vector<uuid> const& parents) {
    asio::io_context own{1};
    postgres::pool other(own, {.url = secret_string(url())});
    other.start();
    master_keys keys{{sealer(secret_bytes(32, 7))}};
    store::monitor_store store(other, keys);
    auto const edit = [&](monitor const& now) {
      auto set = now.set;
      set.depends_on = parents;
      return result<monitor_settings>(std::move(set));
    };
    auto done = run_task(own, store.update(as_ed(), id, edit, "updated", soon()));
    other.stop();
    return done;
  }
};

}  // namespace

TEST_CASE("a monitor depends on ten others at most, in their order, however they are written") {
  dependent_shop db;
  auto const child = db.make_monitor().id;
  std::vector<uuid> parents;
  for (int i = 0; i < 10; ++i) parents.push_back(db.make_monitor().id);
  REQUIRE(db.set_parents(child, parents).has_value());
  CHECK(db.get(child).set.depends_on == parents);
  auto const eleventh = db.make_monitor().id;
  for (auto const* slot : {"0", "11", "10"}) {
    CAPTURE(slot);
    auto const forced = db.run({{"dependency_force_test",
                                 "INSERT INTO monitor_dependencies (project_id, monitor_id, parent_id, slot)"
                                 " VALUES ($1, $2, $3, $4::text::smallint)"},
                                postgres::parameters(db.project, child, eleventh, slot)});
    REQUIRE_FALSE(forced.has_value());
    CHECK(forced.error().constraint ==
          (std::string(slot) == "10" ? "monitor_dependencies_slot_unique" : "monitor_dependencies_slot_range"));
  }
  CHECK(db.rows("monitor_dependencies") == 10);
  std::ranges::reverse(parents);
  REQUIRE(db.set_parents(child, parents).has_value());
  CHECK(db.get(child).set.depends_on == parents);
}

TEST_CASE("monitors that are made to depend on each other at the same time close no cycle") {
  dependent_shop db;
  std::vector<uuid> ring;
  for (int i = 0; i < 4; ++i) ring.push_back(db.make_monitor().id);
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> done = 0, cycles = 0;
    together(4, [&](int i) {
      auto const index = static_cast<std::size_t>(i);
      auto const changed = db.set_parents(ring[index], {ring[(index + 1) % ring.size()]});
      if (changed) ++done;
      if (failure(changed) == errc::dependency_cycle) ++cycles;
    });
    CHECK(done == 3);
    CHECK(cycles == 1);
    CHECK(db.rows("monitor_dependencies") == 3);
    db.as_owner("DELETE FROM monitor_dependencies");
  }
  CHECK(failure(db.set_parents(ring[0], {ring[0]})) == errc::dependency_cycle);
}

TEST_CASE("64 changes of one monitor's parents from eight connections leave one whole list") {
  dependent_shop db;
  auto const child = db.make_monitor().id;
  std::vector<uuid> parents;
  for (int i = 0; i < 10; ++i) parents.push_back(db.make_monitor().id);
  std::atomic<int> done = 0;
  together(8, [&](int i) {
    for (int turn = 0; turn < 8; ++turn) {
      auto list = parents;
      std::ranges::rotate(list, list.begin() + (i + turn) % 10);
      if (db.set_parents(child, list)) ++done;
    }
  });
  CHECK(done == 64);
  CHECK(db.words("SELECT string_agg(slot::text, ' ' ORDER BY slot) FROM monitor_dependencies") ==
        "1 2 3 4 5 6 7 8 9 10");
}

TEST_CASE("a parent of a thousand monitors makes all decide when it falls and when it recovers") {
  hold_shop db;
  auto const parent = db.make_monitor().id;
  db.pass(parent);
  db.as_owner(
      "INSERT INTO monitors (id, project_id, name, type, target, frequency_minutes, attempts_seconds, created_by)"
      " SELECT gen_random_uuid(), project_id, 'child ' || i, type, target, 1, 30, created_by"
      " FROM monitors, generate_series(1, 1000) i;"
      "INSERT INTO monitor_dependencies (project_id, monitor_id, parent_id, slot) SELECT project_id, id, '" +
      parent.to_string() +
      "', 1 FROM monitors WHERE name LIKE 'child %';"
      "WITH opened AS (INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, cause, "
      "cause_message,"
      " cause_location, locations_down) SELECT gen_random_uuid(), project_id, id, now(), now(), 1, '', 'local',"
      " '{local}' FROM monitors WHERE name LIKE 'child %' RETURNING id, monitor_id)"
      " INSERT INTO monitor_status (monitor_id, verdict, outage_id, look_at)"
      " SELECT monitor_id, 'down', id, now() + interval '1 hour' FROM opened");
  auto const due = [&] {
    auto const count = db.rows("monitor_status WHERE verdict = 'down' AND look_at <= clock_timestamp()");
    db.as_owner("UPDATE monitor_status SET look_at = now() + interval '1 hour'");
    return count;
  };
  CHECK(due() == 0);
  db.fail(parent);
  CHECK(due() >= 1000);
  db.pass(parent);
  CHECK(due() == 1000);
}
