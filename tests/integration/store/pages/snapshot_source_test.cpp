// Published pages as visitors see them.
#include "page_fixture.hpp"

using namespace svc;
using namespace svc::test;
using pages::component_status;
using pages::post_status;

TEST_CASE("a page is found by id, slug and verified domain while it is published") {
  paged_shop db;
  auto set = db.page_named("acme");
  set.status = pages::page_status::draft;
  auto const made = db.create_page(set);
  REQUIRE(made.has_value());
  auto const found = [&] {
    return int(db.wait(db.snapshots.find(made->id, db.soon())).has_value()) +
           int(db.wait(db.snapshots.find_slug("acme", db.soon())).has_value()) +
           int(db.wait(db.snapshots.version(made->id, db.soon())).version.has_value()) +
           int(db.wait(db.snapshots.read(made->id, db.soon())).has_value()) +
           int(!db.wait(db.snapshots.published({}, 10, db.soon())).empty());
  };
  auto const publish = [&](pages::page_status status) {
    REQUIRE(db.change_page(made->id, [&](auto& next) { next.status = status; }).has_value());
  };
  CHECK(found() == 0);
  publish(pages::page_status::published);
  CHECK(found() == 5);
  publish(pages::page_status::archived);
  CHECK(found() == 0);
  publish(pages::page_status::published);
  db.as_owner("UPDATE projects SET archived_at = now() WHERE id = '" + db.project.to_string() + "'");
  CHECK(found() == 0);
  db.as_owner("UPDATE projects SET archived_at = NULL");
  CHECK_FALSE(failure(db.wait(db.status_pages.remove(db.as_ed(), made->id, db.soon()))));
  CHECK(found() == 0);
  CHECK_FALSE(db.wait(db.snapshots.find_slug("no such slug", db.soon())));
}

TEST_CASE("published pages are listed in the order of their ids, in parts") {
  paged_shop db;
  std::vector<uuid> all;
  for (int i = 0; i < 5; ++i) all.push_back(db.make_page("page-" + std::to_string(i)).id);
  auto const first = db.wait(db.snapshots.published({}, 3, db.soon()));
  CHECK(first == std::vector(all.begin(), all.begin() + 3));
  CHECK(db.wait(db.snapshots.published(first.back(), 3, db.soon())) == std::vector(all.begin() + 3, all.end()));
}

TEST_CASE("a snapshot has the page, its components with evidence, incidents with posts, and today's bar") {
  paged_shop db;
  auto const monitor = db.make_monitor().id;
  auto set = db.page_named("acme");
  set.headline = "Shops";
  set.accent_color = "#1d4ed8";
  set.visible = pages::visibility::restricted;
  set.allowed_cidrs = {"203.0.113.0/24"};
  set.time_zone = "Europe/Berlin";
  auto const page = db.create_page(set);
  REQUIRE(page.has_value());
  auto const web = db.make_component(page->id, {monitor});
  db.judge(monitor, "up");
  auto wanted = db.incident_named("Checkout fails");
  wanted.components = {{web.id, component_status::degraded_performance}};
  auto const incident = db.create_incident(page->id, wanted);
  REQUIRE(incident.has_value());
  REQUIRE(db.post(page->id, incident->id, post_status::identified).has_value());
  auto const served = db.serve(page->id);
  auto const& snapshot = served.snapshot;
  CHECK(served.project == db.project);
  CHECK(served.slug == "acme");
  CHECK(served.version == db.shown_version(page->id));
  CHECK(served.allowed_cidrs == set.allowed_cidrs);
  CHECK_FALSE(served.domain);
  CHECK(snapshot.page.headline == "Shops");
  CHECK(snapshot.page.accent_color == "#1d4ed8");
  CHECK(snapshot.page.visible == pages::visibility::restricted);
  REQUIRE(snapshot.components.size() == 1);
  auto const& component = snapshot.components[0];
  CHECK(component.id == web.id);
  CHECK(component.measured.status == component_status::operational);
  CHECK(component.days.size() == pages::most_days);
  CHECK(component.days.back().worst == component_status::degraded_performance);
  CHECK(component.days.front().worst == component_status::unknown);
  CHECK(pages::status_table(snapshot, snapshot.as_of).status(component.id) == component_status::degraded_performance);
  CHECK(snapshot.evidence_at);
  REQUIRE(snapshot.incidents.size() == 1);
  CHECK(snapshot.incidents[0].status == post_status::identified);
  REQUIRE(snapshot.incidents[0].posts.size() == 2);
  CHECK(snapshot.incidents[0].posts[0].status == post_status::identified);
  CHECK_FALSE(snapshot.incidents[0].shortened);
  // It survives the journey to the copies.
  CHECK(pages::read_snapshot(pages::write_snapshot(snapshot)).has_value());
}

TEST_CASE("the oldest texts are left out of a snapshot that would be too large, and their incidents say so") {
  paged_shop db;
  auto const page = db.make_page();
  auto const old = db.make_incident(page.id, "old");
  db.as_owner(
      "UPDATE incidents SET started_at = now() - interval '2 days';"
      " UPDATE page_posts SET display_at = now() - interval '2 days'");
  auto const recent = db.make_incident(page.id, "recent");
  db.as_owner(
      "INSERT INTO page_posts (id, project_id, parent_id, page_id, slot, status, body, display_at, notify)"
      " SELECT gen_random_uuid(), project_id, parent_id, page_id, n, 'identified', repeat('x', 9000), now() -"
      " n * interval '1 min', false FROM page_posts CROSS JOIN generate_series(2, 40) n WHERE parent_id = '" +
      recent.id.to_string() + "'");
  auto const snapshot = db.serve(page.id).snapshot;
  REQUIRE(snapshot.incidents.size() == 2);
  CHECK(snapshot.incidents[0].posts.at(0).body == "We look.");
  CHECK(snapshot.incidents[0].posts.at(1).body.size() == 9000);
  CHECK(snapshot.incidents[0].posts.back().body.empty());
  CHECK(snapshot.incidents[0].shortened);
  CHECK(snapshot.incidents[1].id == old.id);
  CHECK(snapshot.incidents[1].posts.at(0).body.empty());
  CHECK(snapshot.incidents[1].shortened);
}
