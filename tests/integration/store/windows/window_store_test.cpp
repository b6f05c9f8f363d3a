// Maintenance windows as users see and change them.
#include "window_fixture.hpp"

#include "svc/store/runs/usage_store.hpp"

#include <algorithm>

using namespace svc;
using namespace svc::test;
using namespace std::chrono_literals;
using windows::window_state;

TEST_CASE("a maintenance window is created, listed, changed and deleted, each with its audit row") {
  windowed_shop db;
  auto const router = db.make(db.single());
  CHECK(router.state == window_state::scheduled);
  CHECK_FALSE(router.current);
  REQUIRE(router.next);
  CHECK(router.next->starts_at == router.set.once->starts_at);
  CHECK(router.next->ends_at == router.set.once->ends_at);
  CHECK(router.version == 1);
  auto const backup = db.make(db.nightly());
  CHECK(backup.next.has_value());
  auto const page = db.wait(db.planned.list(db.project, {}, {.number = 1, .limit = 1}, db.soon()));
  CHECK(page.total == 2);
  REQUIRE(page.rows.size() == 1);
  CHECK(page.rows[0].id == backup.id);
  REQUIRE(page.next);
  auto const rest = db.wait(db.planned.list(db.project, {}, {.limit = 1, .after = page.next}, db.soon()));
  REQUIRE(rest.rows.size() == 1);
  CHECK(rest.rows[0].id == router.id);
  CHECK(db.wait(db.planned.list(db.other_project, {}, {}, db.soon())).total == 0);
  CHECK(failure(db.wait(db.planned.get(db.other_project, router.id, db.soon()))) == errc::not_found);

  auto const renamed = db.change(router.id, [](auto& set) { set.name = "switch"; });
  REQUIRE(renamed.has_value());
  CHECK(renamed->set.name == "switch");
  CHECK(renamed->version == 2);
  CHECK(renamed->next->id == router.next->id);
  auto const keep = [](windows::window const& now) { return result<windows::window_settings>(now.set); };
  CHECK(failure(db.wait(db.planned.update(db.as_ed({{1}}), router.id, keep, db.soon()))) ==
        errc::precondition_failed);
  CHECK(failure(db.wait(db.planned.update(db.elsewhere(), router.id, keep, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.planned.remove(db.elsewhere(), router.id, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.planned.remove(db.as_ed({{1}}), router.id, db.soon()))) == errc::precondition_failed);
  CHECK_FALSE(failure(db.wait(db.planned.remove(db.as_ed({{2}}), router.id, db.soon()))));
  CHECK(failure(db.wait(db.planned.remove(db.as_ed(), router.id, db.soon()))) == errc::not_found);
  CHECK(db.occurrences_of(router.id).empty());
  CHECK(db.audit_rows("maintenance_window.created") == 2);
  CHECK(db.audit_rows("maintenance_window.updated") == 1);
  CHECK(db.audit_rows("maintenance_window.deleted") == 1);
}

TEST_CASE("settings of a window that cannot be used are refused, and an archived project gets none") {
  windowed_shop db;
  auto set = db.single();
  set.once->ends_at = set.once->starts_at;
  CHECK(fields(db.create(set)) == "/endsAt");
  set = db.single();
  auto const monitor = db.make_monitor().id;
  set.targets = {.monitors = {monitor, uuid::generate_v7()}};
  CHECK(fields(db.create(set)) == "/monitorIds/1");
  set.targets = {.tags = {uuid::generate_v7()}};
  CHECK(fields(db.create(set)) == "/tagIds/0");
  CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), monitor, db.soon()))));
  set.targets = {.monitors = {monitor}};
  CHECK(fields(db.create(set)) == "/monitorIds/0");
  CHECK(db.rows("maintenance_windows") == 0);
  db.as_owner("UPDATE projects SET archived_at = now() WHERE id = '" + db.project.to_string() + "'");
  CHECK(failure(db.create(db.single())) == errc::project_archived);
}

TEST_CASE("a click starts a window for one monitor now, named after the monitor") {
  windowed_shop db;
  auto const monitor = db.make_monitor().id;
  auto const other = db.make_monitor(db.wanted("other")).id;
  auto const start = [&](uuid id) {
    return db.wait(db.planned.start(db.as_ed(), db.ed, id, 30min, "upgrade", db.soon()));
  };
  std::optional<windows::window> made;
  CHECK(db.touches(monitor, [&] { made = start(monitor).value(); }));
  CHECK(made->state == window_state::active);
  CHECK(made->set.name == "site");
  CHECK(made->set.description == "upgrade");
  CHECK(made->set.exclude_from_uptime);
  CHECK(made->set.targets.monitors == std::vector<uuid>{monitor});
  CHECK(made->monitor_count == 1);
  REQUIRE(made->current);
  CHECK(made->current->ends_at - made->current->starts_at == 30min);
  CHECK_FALSE(made->next);
  CHECK(db.covered_now(monitor) == 1);
  CHECK(db.covered_now(other) == 0);
  CHECK(failure(start(uuid::generate_v7())) == errc::not_found);
  CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), other, db.soon()))));
  CHECK(failure(start(other)) == errc::not_found);
}

TEST_CASE("windows are found by state and by the monitors that they cover") {
  windowed_shop db;
  auto const monitor = db.make_monitor().id;
  auto const other = db.make_monitor(db.wanted("other")).id;
  auto const tag = db.make_tag("db");
  db.set_tags(monitor, {tag.id});
  auto by_tag = db.single("tagged");
  by_tag.targets = {.tags = {tag.id}};
  auto by_id = db.single("named");
  by_id.targets = {.monitors = {other}};
  CHECK(db.make(by_tag).monitor_count == 1);
  db.make(by_id);
  CHECK(db.make(db.nightly("everything")).monitor_count == 2);
  auto const active = db.wait(db.planned.start(db.as_ed(), db.ed, monitor, 10min, std::nullopt, db.soon()));
  REQUIRE(active.has_value());
  auto const found = [&](store::window_filter filter) {
    std::string out;
    auto const page = db.wait(db.planned.list(db.project, filter, {}, db.soon()));
    for (auto const& each : page.rows) out += (out.empty() ? "" : " ") + each.set.name;
    CHECK(page.total == static_cast<std::int64_t>(page.rows.size()));
    return out;
  };
  CHECK(found({.monitor = monitor}) == "site everything tagged");
  CHECK(found({.monitor = other}) == "everything named");
  CHECK(found({.monitor = uuid::generate_v7()}).empty());
  CHECK(found({.state = window_state::active}) == "site");
  CHECK(found({.state = window_state::scheduled, .monitor = monitor}) == "everything tagged");
  CHECK(found({.state = window_state::finished}).empty());
  REQUIRE(db.wait(db.planned.end(db.as_ed(), active->id, db.soon())).has_value());
  CHECK(found({.state = window_state::finished}) == "site");
  CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), other, db.soon()))));
  CHECK(found({.monitor = other}).empty());
}

TEST_CASE("an early end finishes a single window, and a recurring one continues with its next occurrence") {
  windowed_shop db;
  auto const monitor = db.make_monitor().id;
  auto const once = db.wait(db.planned.start(db.as_ed(), db.ed, monitor, 60min, std::nullopt, db.soon()));
  REQUIRE(once.has_value());
  auto const end = [&](uuid id, std::optional<std::vector<std::int64_t>> expected = {}) {
    return db.wait(db.planned.end(db.as_ed(std::move(expected)), id, db.soon()));
  };
  CHECK(failure(end(once->id, {{7}})) == errc::precondition_failed);
  std::optional<windows::window> ended;
  CHECK(db.touches(monitor, [&] { ended = end(once->id).value(); }));
  CHECK(ended->state == window_state::finished);
  CHECK(ended->set.once->ends_at < once->set.once->ends_at);
  CHECK(db.covered_now(monitor) == 0);
  // A decision finds that a failing check started inside, although the window has given its slot back.
  CHECK(db.number({{"window_just_ended_test",
                    "SELECT count(*) FROM maintenance_of(ARRAY[$1::uuid], clock_timestamp()"
                    " - interval '10 min', clock_timestamp())"},
                   postgres::parameters(monitor)}) == 1);
  CHECK(failure(end(once->id)) == errc::window_not_active);
  CHECK(failure(db.change(once->id, [](auto& set) { set.name = "x"; })) == errc::window_over);
  CHECK(db.audit_rows("maintenance_window.ended") == 1);
  CHECK(db.wait(store::usage_store(db.pool).read(db.project, db.soon())).maintenance_windows.used == 0);

  auto const recurring = db.make(db.nightly());
  CHECK(failure(end(recurring.id)) == errc::window_not_active);
  CHECK(db.activate(recurring.id).state == window_state::active);
  CHECK(db.covered_now(monitor) == 1);
  auto const continued = end(recurring.id);
  REQUIRE(continued.has_value());
  CHECK(continued->state == window_state::scheduled);
  CHECK(continued->next.has_value());
  CHECK(db.covered_now(monitor) == 0);
  auto const used = db.wait(store::usage_store(db.pool).read(db.project, db.soon())).maintenance_windows;
  CHECK(used.used == 1);
  CHECK(used.limit == 100);
}

TEST_CASE("an early end of the last occurrence finishes a recurring window") {
  windowed_shop db;
  auto set = db.nightly();
  set.recurring->until = db.now() + 24h;
  auto const made = db.make(set);
  CHECK(db.occurrences_of(made.id).size() == 1);
  db.as_owner(
      "UPDATE maintenance_windows SET over_at = clock_timestamp() + interval '10 min';"
      "UPDATE maintenance_occurrences o SET starts_at = clock_timestamp() - interval '10 min',"
      " ends_at = w.over_at FROM maintenance_windows w WHERE w.id = o.window_id");
  auto const ended = db.wait(db.planned.end(db.as_ed(), made.id, db.soon()));
  REQUIRE(ended.has_value());
  CHECK(ended->state == window_state::finished);
}

TEST_CASE("an early end ends both occurrences that overlap after a change of the rule") {
  windowed_shop db;
  auto const monitor = db.make_monitor().id;
  auto const made = db.make(db.nightly());
  db.activate(made.id);
  // The second one started later, and is over already.
  db.as_owner(
      "UPDATE maintenance_occurrences SET starts_at = clock_timestamp() - interval '5 min', ends_at = "
      "clock_timestamp()"
      " WHERE id = (SELECT id FROM maintenance_occurrences WHERE starts_at > clock_timestamp() ORDER BY starts_at"
      " LIMIT 1)");
  auto const active = db.read(made.id);
  CHECK(active.state == window_state::active);
  CHECK(db.covered_now(monitor) == 1);
  db.as_owner(
      "UPDATE maintenance_occurrences SET ends_at = clock_timestamp() + interval '1 min'"
      " WHERE starts_at BETWEEN clock_timestamp() - interval '6 min' AND clock_timestamp()");
  CHECK(db.covered_now(monitor) == 2);
  auto const ended = db.wait(db.planned.end(db.as_ed(), made.id, db.soon()));
  REQUIRE(ended.has_value());
  CHECK(ended->state == window_state::scheduled);
  CHECK(db.covered_now(monitor) == 0);
}

TEST_CASE("a change of the rule keeps the started occurrence and plans the others again") {
  windowed_shop db;
  auto const made = db.make(db.nightly());
  auto const active = db.activate(made.id);
  REQUIRE(active.current);
  auto const before = db.occurrences_of(made.id);
  auto const longer = db.change(made.id, [](auto& set) { set.recurring->duration = 90min; });
  REQUIRE(longer.has_value());
  REQUIRE(longer->current);
  CHECK(longer->current->id == active.current->id);
  CHECK(longer->current->starts_at == active.current->starts_at);
  CHECK(longer->current->ends_at == active.current->starts_at + 90min);
  CHECK(longer->next->ends_at - longer->next->starts_at == 90min);
  auto const at_four = db.change(made.id, [](auto& set) { set.recurring->cron = "0 4 * * *"; });
  REQUIRE(at_four.has_value());
  CHECK(at_four->current->ends_at == longer->current->ends_at);
  auto const shorter = db.change(made.id, [](auto& set) { set.recurring->duration = 1min; });
  REQUIRE(shorter.has_value());
  CHECK(shorter->state == window_state::scheduled);
  CHECK(db.occurrences_of(made.id).front() == before.front());
  SUBCASE("occurrences that stay keep their ids") {
    auto const kept = db.occurrences_of(made.id);
    auto const until = db.now() + 10 * 24h;
    auto const fewer = db.change(made.id, [&](auto& set) { set.recurring->until = until; });
    REQUIRE(fewer.has_value());
    auto const left = db.occurrences_of(made.id);
    CHECK(left.size() == 11);
    CHECK(std::equal(left.begin(), left.end(), kept.begin()));
  }
}

TEST_CASE("a window that happens once keeps its occurrence when it is moved, and its start once it has started") {
  windowed_shop db;
  auto const made = db.make(db.single());
  auto const moved = db.change(made.id, [](auto& set) {
    set.once->starts_at = set.once->starts_at + 1h;
    set.once->ends_at = set.once->ends_at + 2h;
  });
  REQUIRE(moved.has_value());
  CHECK(moved->next->id == made.next->id);
  CHECK(moved->next->starts_at == made.next->starts_at + 1h);
  auto const now = db.now();
  auto const inside = db.change(made.id, [&](auto& set) { set.once->starts_at = now + -5min; });
  REQUIRE(inside.has_value());
  CHECK(inside->state == window_state::active);
  CHECK(fields(db.change(made.id, [&](auto& set) { set.once->starts_at = now; })) == "/startsAt");
  auto const longer = db.change(made.id, [](auto& set) { set.once->ends_at = set.once->ends_at + 1h; });
  REQUIRE(longer.has_value());
  CHECK(longer->current->id == made.next->id);
  CHECK(longer->current->ends_at == moved->next->ends_at + 1h);
}

TEST_CASE("a window can become recurring and single again") {
  windowed_shop db;
  auto const once = db.single().once;
  auto const made = db.make(db.single());
  auto const recurring = db.change(made.id, [&](auto& set) {
    set.once.reset();
    set.recurring = windowed_shop::nightly().recurring;
  });
  REQUIRE(recurring.has_value());
  CHECK(db.occurrences_of(made.id).size() >= 60);
  auto const single = db.change(made.id, [&](auto& set) {
    set.recurring.reset();
    set.once = once;
  });
  REQUIRE(single.has_value());
  CHECK(db.occurrences_of(made.id).size() == 1);
  CHECK(single->next->starts_at == single->set.once->starts_at);
}

TEST_CASE("the exclusion from the uptime changes for what has not ended") {
  windowed_shop db;
  auto const made = db.make(db.nightly());
  db.activate(made.id);
  db.as_owner(
      "INSERT INTO maintenance_occurrences SELECT gen_random_uuid(), project_id, id, now() - interval '2 days',"
      " now() - interval '1 day', true FROM maintenance_windows");
  REQUIRE(db.change(made.id, [](auto& set) { set.exclude_from_uptime = false; }).has_value());
  CHECK(db.rows("maintenance_occurrences WHERE exclude_from_uptime") == 1);
  CHECK_FALSE(db.read(made.id).set.exclude_from_uptime);
}

TEST_CASE("a list of monitors says of each the window that covers it longest, as the monitor itself does") {
  windowed_shop db;
  std::vector<uuid> shop;
  for (int i = 0; i < 4; ++i) shop.push_back(db.make_monitor(db.wanted("site " + std::to_string(i))).id);
  auto const first = db.make_tag("first").id, second = db.make_tag("second").id;
  db.set_tags(shop[0], {first, second});
  db.set_tags(shop[1], {second});
  auto const check_lists = [&] {
    for (auto const order :
         {store::monitor_order::newest, store::monitor_order::name, store::monitor_order::status}) {
      auto const listed = db.wait(db.monitors.list(db.project, {.order = order}, {}, db.soon())).rows;
      CHECK(listed.size() == shop.size());
      for (auto const& each : listed) CHECK(each.maintenance == db.get(each.id).maintenance);
    }
  };
  auto const start = [&](windows::window_targets targets, std::chrono::minutes length) {
    auto const now = db.now();
    return db.make({.name = "n" + std::to_string(length.count()),
                    .targets = std::move(targets),
                    .once = windows::single_rule{.starts_at = now, .ends_at = now + length}});
  };
  check_lists();
  start({.tags = {first}}, std::chrono::minutes(30));
  start({.tags = {first, second}}, std::chrono::minutes(20));
  start({.monitors = {shop[0], shop[2]}}, std::chrono::minutes(25));
  check_lists();
  CHECK_FALSE(db.get(shop[3]).maintenance);
  auto const whole = start({.all = true}, std::chrono::minutes(22));
  check_lists();
  CHECK(db.get(shop[0]).maintenance->name == "n30");
  CHECK(db.get(shop[3]).maintenance->id == whole.id);
  // The lower id counts if two windows end at the same time.
  db.as_owner(
      "UPDATE maintenance_occurrences SET ends_at = date_trunc('day', clock_timestamp()) + interval '3 days'");
  check_lists();
}
