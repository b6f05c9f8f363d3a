// Which monitors maintenance windows cover, and who learns of it.
#include "window_fixture.hpp"

using namespace svc;
using namespace svc::test;
using namespace std::chrono_literals;

namespace {

/// A window that is active now, for these targets.
windows::window_settings active_now(windowed_shop& db, windows::window_targets targets) {
  auto set = db.single("now");
  set.targets = std::move(targets);
  set.once = windows::single_rule{.starts_at = db.now() + -1min, .ends_at = db.now() + 1h};
  return set;
}

}  // namespace

TEST_CASE("a window covers its monitors, those with its tags, or all, also later ones") {
  windowed_shop db;
  auto const monitor = db.make_monitor().id;
  SUBCASE("monitors") {
    db.make(active_now(db, {.monitors = {monitor}}));
    CHECK(db.covered_now(monitor) == 1);
    CHECK(db.covered_now(db.make_monitor(db.wanted("later")).id) == 0);
  }
  SUBCASE("tags") {
    auto const tag = db.make_tag("db");
    db.make(active_now(db, {.tags = {tag.id}}));
    CHECK(db.covered_now(monitor) == 0);
    db.set_tags(monitor, {tag.id});
    CHECK(db.covered_now(monitor) == 1);
    db.set_tags(monitor, {});
    CHECK(db.covered_now(monitor) == 0);
  }
  SUBCASE("all") {
    db.make(active_now(db, {.all = true}));
    CHECK(db.covered_now(monitor) == 1);
    CHECK(db.covered_now(db.make_monitor(db.wanted("later")).id) == 1);
  }
  SUBCASE("a monitor that two rows of a window name is covered once") {
    auto const a = db.make_tag("a"), b = db.make_tag("b");
    db.set_tags(monitor, {a.id, b.id});
    auto const made = db.make(active_now(db, {.tags = {a.id, b.id}}));
    CHECK(made.monitor_count == 1);
    CHECK(db.covered_now(monitor) == 1);
  }
}

TEST_CASE("a window applies from its start to its end, and to no other project") {
  windowed_shop db;
  auto const monitor = db.make_monitor().id;
  auto const made = db.make(active_now(db, {.all = true}));
  auto const covered_at = [&](timestamp time, timestamp end) {
    return db.number({{"window_covered_at_test", "SELECT count(*) FROM maintenance_of(ARRAY[$1::uuid], $2, $3)"},
                      postgres::parameters(monitor, time, end)});
  };
  auto const [start, end] = *made.set.once;
  CHECK(covered_at(start, start) == 1);
  CHECK(covered_at(start + -1us, start + -1us) == 0);
  CHECK(covered_at(start + -1h, start) == 0);
  CHECK(covered_at(start + -1h, start + 1us) == 1);
  CHECK(covered_at(end + -1us, end + -1us) == 1);
  CHECK(covered_at(end, end + 1h) == 0);
  auto const abroad = db.wait(db.planned.create(db.elsewhere(), db.ada, active_now(db, {.all = true}), db.soon()));
  REQUIRE(abroad.has_value());
  CHECK(db.covered_now(monitor) == 1);
}

TEST_CASE("a deleted monitor is not covered until it is restored, and its purge removes it from windows") {
  windowed_shop db;
  auto const monitor = db.make_monitor().id;
  auto const other = db.make_monitor(db.wanted("other")).id;
  auto const made = db.make(active_now(db, {.monitors = {monitor, other}}));
  CHECK(made.monitor_count == 2);
  CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), monitor, db.soon()))));
  CHECK(db.covered_now(monitor) == 0);
  CHECK(db.read(made.id).monitor_count == 1);
  // The window keeps the deleted monitor when it is changed.
  REQUIRE(db.change(made.id, [](auto& set) { set.name = "renamed"; }).has_value());
  REQUIRE(db.change(made.id, [&](auto& set) { set.targets.monitors = {other, monitor}; }).has_value());
  REQUIRE(db.wait(db.monitors.restore(db.as_ed(), monitor, db.soon())).has_value());
  CHECK(db.covered_now(monitor) == 1);
  db.as_owner("DELETE FROM monitors WHERE id = '" + monitor.to_string() + "'");
  CHECK(db.read(made.id).set.targets.monitors == std::vector<uuid>{other});
  db.as_owner("DELETE FROM monitors WHERE id = '" + other.to_string() + "'");
  auto const bare = db.read(made.id);
  CHECK(bare.set.targets == windows::window_targets{});
  CHECK(bare.monitor_count == 0);
  REQUIRE(db.change(made.id, [](auto& set) { set.name = "bare"; }).has_value());
}

TEST_CASE("each write of a window makes holders and decisions look at the monitors that it covers or covered") {
  windowed_shop db;
  auto const monitor = db.make_monitor().id;
  auto const other = db.make_monitor(db.wanted("other")).id;
  std::optional<windows::window> made;
  CHECK(db.touches(monitor, [&] { made = db.make(active_now(db, {.monitors = {monitor}})); }));
  auto const move = [&](uuid id) {
    REQUIRE(db.change(made->id, [&](auto& set) { set.targets.monitors = {id}; }).has_value());
  };
  CHECK(db.touches(monitor, [&] { move(other); }));
  CHECK(db.touches(monitor, [&] { move(monitor); }));
  CHECK(db.touches(other, [&] { move(other); }));
  CHECK_FALSE(
      db.touches(monitor, [&] { REQUIRE(db.change(made->id, [](auto& set) { set.name = "x"; }).has_value()); }));
  CHECK(
      db.touches(other, [&] { CHECK_FALSE(failure(db.wait(db.planned.remove(db.as_ed(), made->id, db.soon())))); }));
}

TEST_CASE("a window asks for no decision on monitors that are up or paused") {
  windowed_shop db;
  auto const up = db.make_monitor().id;
  auto const paused = db.make_monitor(db.wanted("paused")).id;
  edit_monitor(db, paused, [](auto& set) { set.enabled = false; }, "paused");
  db.as_owner("UPDATE monitor_status SET look_at = NULL, verdict = 'up' WHERE monitor_id = '" + up.to_string() + "'");
  db.make(active_now(db, {.all = true}));
  CHECK(db.rows("monitor_status WHERE look_at IS NOT NULL") == 0);
}

TEST_CASE("monitors learn that a tag of their window was deleted") {
  windowed_shop db;
  auto const monitor = db.make_monitor().id;
  auto const tag = db.make_tag("db"), unused = db.make_tag("unused");
  db.set_tags(monitor, {tag.id, unused.id});
  auto const made = db.make(active_now(db, {.tags = {tag.id}}));
  auto const remove = [&](uuid id) { CHECK_FALSE(failure(db.wait(db.tags.remove(db.as_ed(), id, db.soon())))); };
  CHECK_FALSE(db.touches(monitor, [&] { remove(unused.id); }));
  CHECK(db.touches(monitor, [&] { remove(tag.id); }));
  CHECK(db.covered_now(monitor) == 0);
  CHECK(db.read(made.id).set.targets == windows::window_targets{});
}
