// Which monitors maintenance windows cover, and who learns of it.
#include "window_fixture.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

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

TEST_CASE("a window has at most 500 monitors or 20 tags, each in its project, and the database enforces it") {
  windowed_shop db;
  auto const monitor = db.make_monitor().id;
  auto const tag = db.make_tag("db").id;
  auto const made = db.make(db.single()).id;
  auto const insert = [&](std::string const& column, uuid project, int slot, uuid target) {
    std::string const text = "INSERT INTO maintenance_targets (project_id, window_id, slot, " + column +
                             ") VALUES ($1, $2, $3::bigint::smallint, $4)";
    auto const done = db.run({{"insert_" + column, text}, postgres::parameters(project, made, slot, target)});
    return done ? std::string() : done.error().constraint;
  };
  CHECK(insert("monitor_id", db.project, 501, monitor) == "maintenance_targets_slot_range");
  CHECK(insert("monitor_id", db.project, 0, monitor) == "maintenance_targets_slot_range");
  CHECK(insert("tag_id", db.project, 21, tag) == "maintenance_targets_tags_range");
  CHECK(insert("monitor_id", db.other_project, 1, monitor) == "maintenance_targets_window_exists");
  CHECK(insert("monitor_id", db.project, 500, monitor).empty());
  CHECK(insert("monitor_id", db.project, 499, monitor) == "maintenance_targets_monitor_once");
  CHECK(insert("tag_id", db.project, 20, tag).empty());
  CHECK(insert("tag_id", db.project, 20, tag) == "maintenance_targets_pkey");
}

TEST_CASE("a monitor has at most ten parents, other monitors of its project, and the database enforces it") {
  windowed_shop db;
  auto const child = db.make_monitor().id;
  auto const parent = db.make_monitor(db.wanted("parent")).id;
  auto const insert = [&](uuid project, int slot, uuid other) {
    auto const done = db.run({{"insert_dependency_test",
                               "INSERT INTO monitor_dependencies (project_id, monitor_id, parent_id, slot)"
                               " VALUES ($1, $2, $3, $4::bigint::smallint)"},
                              postgres::parameters(project, child, other, slot)});
    return done ? std::string() : done.error().constraint;
  };
  CHECK(insert(db.project, 11, parent) == "monitor_dependencies_slot_range");
  CHECK(insert(db.project, 1, child) == "monitor_dependencies_no_self");
  CHECK(insert(db.other_project, 1, parent) == "monitor_dependencies_monitor_exists");
  CHECK(insert(db.project, 1, uuid::generate_v7()) == "monitor_dependencies_parent_exists");
  CHECK(insert(db.project, 10, parent).empty());
  CHECK(insert(db.project, 9, parent) == "monitor_dependencies_pkey");
  auto const second = db.make_monitor(db.wanted("second")).id;
  CHECK(insert(db.project, 10, second) == "monitor_dependencies_slot_unique");
  db.as_owner("DELETE FROM monitors WHERE id = '" + parent.to_string() + "'");
  CHECK(db.rows("monitor_dependencies") == 0);
}

TEST_CASE("monitors learn that a tag of their window was deleted") {
  windowed_shop db;
  auto const monitor = db.make_monitor().id;
  auto const tag = db.make_tag("db"), unused = db.make_tag("unused");
  db.set_tags(monitor, {tag.id, unused.id});
  auto const made = db.make(active_now(db, {.tags = {tag.id}}));
  auto const news = std::make_shared<std::vector<changed_thing>>();
  auto const remove = [&](uuid id) {
    auto editor = db.as_ed();
    editor.actor.audited = news;
    CHECK_FALSE(failure(db.wait(db.tags.remove(std::move(editor), id, db.soon()))));
  };
  auto const tells_of = [&](std::string_view kind) {
    return std::ranges::find(*news, kind, &changed_thing::resource) != news->end();
  };
  CHECK_FALSE(db.touches(monitor, [&] { remove(unused.id); }));
  CHECK_FALSE(tells_of("maintenance_window"));
  CHECK(db.touches(monitor, [&] { remove(tag.id); }));
  CHECK(tells_of("maintenance_window"));
  CHECK(tells_of("monitor"));
  CHECK(db.covered_now(monitor) == 0);
  CHECK(db.read(made.id).set.targets == windows::window_targets{});
}
