// Components of status pages, and the statuses that follow from their monitors.
#include "page_fixture.hpp"

using namespace svc;
using namespace svc::test;
using pages::component_status;

namespace {

result<pages::component> change_component(paged_shop& db, uuid page, uuid id,
                                          std::function<void(pages::component_settings&)> const& agent) {
  auto const edit = [&](pages::component const& current) {
    auto out = current.set;
    agent(out);
    return result<pages::component_settings>(std::move(out));
  };
  return db.wait(db.components.update(db.as_ed(), page, id, edit, db.soon()));
}

}  // namespace

TEST_CASE("a component is created, listed in order, changed and deleted, and each change makes copies old") {
  paged_shop db;
  auto const page = db.make_page();
  auto version = db.shown_version(page.id);
  auto const rises = [&] {
    auto const before = std::exchange(version, db.shown_version(page.id));
    return before < version;
  };
  auto const web = db.make_component(page.id);
  CHECK(rises());
  auto const api = db.create_component(page.id, {.name = "api", .group = "Core", .position = -1});
  REQUIRE(api.has_value());
  CHECK(api->set.group == "Core");
  CHECK(rises());
  auto const all = db.wait(db.components.list(db.project, page.id, {}, db.soon()));
  REQUIRE(all.has_value());
  CHECK(all->total == 2);
  CHECK(all->rows.at(0).id == api->id);
  CHECK(all->rows.at(1).id == web.id);
  CHECK(failure(db.wait(db.components.list(db.other_project, page.id, {}, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.components.get(db.other_project, page.id, web.id, db.soon()))) == errc::not_found);

  auto const changed = change_component(db, page.id, web.id, [](auto& set) {
    set.name = "website";
    set.override_status = component_status::degraded_performance;
    set.override_until = timestamp{4'000'000'000'000'000};
  });
  REQUIRE(changed.has_value());
  CHECK(rises());
  CHECK(changed->version == 2);
  CHECK(changed->status == component_status::degraded_performance);
  CHECK(changed->set.override_until == timestamp{4'000'000'000'000'000});
  auto const keep = [](pages::component const& now) { return result<pages::component_settings>(now.set); };
  CHECK(failure(db.wait(db.components.update(db.as_ed({{1}}), page.id, web.id, keep, db.soon()))) ==
        errc::precondition_failed);
  CHECK(failure(db.wait(db.components.remove(db.elsewhere(), page.id, web.id, db.soon()))) == errc::not_found);
  CHECK_FALSE(failure(db.wait(db.components.remove(db.as_ed(), page.id, web.id, db.soon()))));
  CHECK(rises());
  CHECK(failure(db.wait(db.components.remove(db.as_ed(), page.id, web.id, db.soon()))) == errc::not_found);
  CHECK(db.audit_rows("component.created") == 2);
  CHECK(db.audit_rows("component.updated") == 1);
  CHECK(db.audit_rows("component.deleted") == 1);
}

TEST_CASE("the status of a component is that of its monitors, and the page shows its worst component") {
  paged_shop db;
  auto const first = db.make_monitor().id, second = db.make_monitor(db.wanted("second")).id;
  auto const page = db.make_page();
  auto const web = db.make_component(page.id, {first, second});
  CHECK(web.status == component_status::unknown);
  db.judge(first, "up");
  CHECK(db.read_component(page.id, web.id).status == component_status::unknown);
  db.judge(second, "up");
  CHECK(db.read_component(page.id, web.id).status == component_status::operational);
  db.judge(second, "down");
  CHECK(db.read_component(page.id, web.id).status == component_status::partial_outage);
  CHECK(db.wait(db.status_pages.get(db.project, page.id, db.soon()))->status == component_status::partial_outage);
  db.judge(first, "down");
  CHECK(db.read_component(page.id, web.id).status == component_status::major_outage);
  auto const listed = db.wait(db.status_pages.list(db.project, {}, {}, db.soon())).rows.at(0);
  CHECK(listed.status == component_status::major_outage);
  CHECK(listed.evidence_at);
  // Three intervals without a result.
  db.as_owner("UPDATE check_states SET evidence_at = now() - interval '181 s'");
  CHECK(db.read_component(page.id, web.id).status == component_status::unknown);
  db.judge(first, "up");
  db.judge(second, "up");
  db.as_owner("UPDATE monitors SET enabled = false WHERE id = '" + second.to_string() + "'");
  CHECK(db.read_component(page.id, web.id).status == component_status::unknown);
}

TEST_CASE("a heartbeat is evidence until its deadline has passed by a minute unjudged") {
  paged_shop db;
  auto const monitor = db.make_monitor().id;
  auto const page = db.make_page();
  auto const job = db.make_component(page.id, {monitor});
  db.judge(monitor, "up");
  db.as_owner(
      "UPDATE monitors SET type = 'heartbeat', target = NULL; INSERT INTO heartbeats (monitor_id, last_beat_at,"
      " deadline_at) SELECT id, now() - interval '1 hour', now() + interval '1 hour' FROM monitors");
  CHECK(db.read_component(page.id, job.id).status == component_status::operational);
  db.as_owner("UPDATE heartbeats SET deadline_at = now() - interval '50 s'");
  CHECK(db.read_component(page.id, job.id).status == component_status::operational);
  db.as_owner("UPDATE heartbeats SET deadline_at = now() - interval '61 s'");
  CHECK(db.read_component(page.id, job.id).status == component_status::unknown);
  // A heartbeat that never had a signal is down by a decision, which is evidence too.
  db.as_owner("UPDATE heartbeats SET last_beat_at = NULL, deadline_at = now() + interval '1 hour'");
  db.judge(monitor, "down");
  CHECK(db.read_component(page.id, job.id).status == component_status::major_outage);
}

TEST_CASE("a component keeps deleted and purged monitors, which make it unknown, until an editor names others") {
  paged_shop db;
  auto const monitor = db.make_monitor().id;
  auto const page = db.make_page();
  auto const web = db.make_component(page.id, {monitor});
  db.judge(monitor, "up");
  CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), monitor, db.soon()))));
  auto found = db.read_component(page.id, web.id);
  CHECK(found.missing_monitors == 1);
  CHECK(found.status == component_status::unknown);
  CHECK(fields(db.create_component(page.id, {.name = "other", .monitors = {monitor}})) == "/monitorIds/0");
  CHECK(fields(db.create_component(page.id, {.name = "other", .monitors = {uuid::generate_v7()}})) ==
        "/monitorIds/0");
  CHECK(change_component(db, page.id, web.id, [](auto& set) { set.name = "still here"; }).has_value());
  db.as_owner("DELETE FROM monitors WHERE id = '" + monitor.to_string() + "'");
  found = db.read_component(page.id, web.id);
  CHECK(found.set.monitors == std::vector{monitor});
  CHECK(found.missing_monitors == 1);
  CHECK(found.status == component_status::unknown);
  auto const emptied = change_component(db, page.id, web.id, [](auto& set) { set.monitors.clear(); });
  REQUIRE(emptied.has_value());
  CHECK(emptied->status == component_status::operational);
}

TEST_CASE("incidents and announced maintenance give a component their status, and an override wins") {
  paged_shop db;
  auto const page = db.make_page();
  auto const web = db.make_component(page.id);
  auto const status = [&] { return db.read_component(page.id, web.id).status; };
  auto wanted = db.incident_named("Slow");
  wanted.components = {{web.id, component_status::partial_outage}};
  auto const slow = db.create_incident(page.id, wanted);
  REQUIRE(slow.has_value());
  CHECK(status() == component_status::partial_outage);
  REQUIRE(db.post(page.id, slow->id, pages::post_status::resolved).has_value());
  CHECK(status() == component_status::operational);
  auto const window = db.make(db.shown_window(page.id, {web.id}));
  CHECK(status() == component_status::operational);
  db.activate(window.id);
  CHECK(status() == component_status::under_maintenance);
  CHECK(change_component(db, page.id, web.id, [](auto& set) {
          set.override_status = component_status::operational;
        })->status == component_status::operational);
}

TEST_CASE("a page has exactly 100 components with 1 000 monitors of 50 each") {
  paged_shop db;
  auto const page = db.make_page();
  auto const id = page.id.to_string(), project = db.project.to_string();
  db.as_owner(
      "INSERT INTO page_components (id, project_id, page_id, slot, position, name) SELECT gen_random_uuid(), '" +
      project + "', '" + id + "', n, n, 'c' || n FROM generate_series(1, 99) n");
  auto const last = db.make_component(page.id);
  CHECK(failure(db.create_component(page.id, {.name = "one more"})) == errc::component_limit_reached);
  db.as_owner("INSERT INTO page_component_monitors (page_id, component_id, slot, page_slot, monitor_id) SELECT '" +
              id +
              "', c.id, (n - 1) % 50 + 1, n, gen_random_uuid() FROM generate_series(1, 999) n JOIN page_components c"
              " ON c.page_id = '" +
              id + "' AND c.slot = (n - 1) / 50 + 1");
  auto const first = db.make_monitor().id, second = db.make_monitor(db.wanted("second")).id;
  CHECK(failure(change_component(db, page.id, last.id, [&](auto& set) { set.monitors = {first, second}; })) ==
        errc::component_limit_reached);
  CHECK(change_component(db, page.id, last.id, [&](auto& set) { set.monitors = {first}; }).has_value());
  CHECK(change_component(db, page.id, last.id, [&](auto& set) { set.monitors = {second}; })->set.monitors ==
        std::vector{second});
  CHECK_FALSE(failure(db.wait(db.components.remove(db.as_ed(), page.id, last.id, db.soon()))));
  CHECK(db.create_component(page.id, {.name = "one more", .monitors = {first}}).has_value());
}

TEST_CASE("an open automatic incident ends with its component") {
  paged_shop db;
  auto set = db.page_named("acme");
  set.automatic_incidents = true;
  auto const page = db.create_page(set).value().id;
  auto const monitor = db.make_monitor().id;
  auto const web = db.make_component(page, {monitor}).id;
  db.break_down(monitor, "10 min");
  db.wait(db.upkeep.follow_outages(page, db.soon()));
  auto const all = [&] { return db.wait(db.incidents.list(db.project, page, {}, {}, db.soon())).value().rows; };
  auto found = all();
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].resolved_at);
  CHECK_FALSE(failure(db.wait(db.components.remove(db.as_ed(), page, web, db.soon()))));
  found = all();
  REQUIRE(found.size() == 1);
  CHECK(found[0].resolved_at);
  CHECK(found[0].set.components.empty());
}
