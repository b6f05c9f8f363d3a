// Incidents that outages of monitors open and resolve.
#include "page_fixture.hpp"

using namespace svc;
using namespace svc::test;
using pages::component_status;
using pages::post_status;

namespace {

struct automatic_shop : paged_shop {
  automatic_shop() {
    auto set = page_named("acme");
    set.automatic_incidents = true;
    set.language = pages::page_language::de;
    page = create_page(set).value().id;
    monitor = make_monitor().id;
    web = make_component(page, {monitor}).id;
  }
  void follow() {
    for (uuid const id : wait(upkeep.automatic_pages({}, soon()))) wait(upkeep.follow_outages(id, soon()));
  }
  std::vector<pages::incident> all() { return wait(incidents.list(project, page, {}, {}, soon())).value().rows; }
  /// Adds nine of the ten automatic incidents that the page may have today.
  void use_up_nine() {
    as_owner(
        "INSERT INTO incidents (id, project_id, page_id, name, impact, status, started_at, resolved_at,"
        " automatic, component_id, outage_id) SELECT gen_random_uuid(), project_id, id, 'x', 'minor',"
        " 'resolved', now(), now(), true, gen_random_uuid(), gen_random_uuid()"
        " FROM status_pages CROSS JOIN generate_series(1, 9)");
  }
  /// Returns the monitor of a new component of the page.
  uuid make_second() {
    auto const made = make_monitor(wanted("second")).id;
    make_component(page, {made}, "other");
    return made;
  }

  uuid page{}, monitor{}, web{};
};

}  // namespace

TEST_CASE("an outage opens one incident after the page's minutes, and its end resolves it after as many") {
  automatic_shop db;
  db.break_down(db.monitor, "4 min");
  db.follow();
  CHECK(db.all().empty());
  db.as_owner("UPDATE outages SET started_at = now() - interval '301 s'");
  auto const version = db.shown_version(db.page);
  int reports = 0;
  db.upkeep.when_changed([&](std::vector<changed_thing> const& changes) {
    ++reports;
    CHECK(changes.at(0).project == db.project);
    CHECK(changes.at(0).resource == "incident");
  });
  db.follow();
  db.follow();
  CHECK(reports == 1);
  CHECK(db.shown_version(db.page) > version);
  auto found = db.all();
  REQUIRE(found.size() == 1);
  CHECK(found[0].automatic);
  CHECK(found[0].outage);
  CHECK_FALSE(found[0].created_by);
  CHECK(found[0].set.name == "web");
  CHECK(found[0].set.effect == pages::impact::major);
  CHECK(found[0].set.components.at(0).status == component_status::major_outage);
  REQUIRE(found[0].posts.size() == 1);
  CHECK(found[0].posts[0].automatic);
  CHECK(found[0].posts[0].body.find("Störung") != std::string::npos);
  CHECK(db.rows("page_mail_jobs") == 1);
  db.mend(db.monitor);
  db.follow();
  CHECK_FALSE(db.all()[0].resolved_at);
  db.as_owner("UPDATE incidents SET good_since = good_since - interval '299 s'");
  db.follow();
  CHECK_FALSE(db.all()[0].resolved_at);
  db.as_owner("UPDATE incidents SET good_since = good_since - interval '2 s'");
  db.follow();
  found = db.all();
  CHECK(found[0].resolved_at);
  CHECK(found[0].posts.at(0).status == post_status::resolved);
  CHECK(db.rows("page_mail_jobs") == 2);
  db.follow();
  CHECK(db.all().size() == 1);
}

TEST_CASE("a person's post ends what automation says about an incident") {
  automatic_shop db;
  db.break_down(db.monitor, "10 min");
  db.follow();
  auto const id = db.all().at(0).id;
  REQUIRE(db.post(db.page, id, post_status::identified).has_value());
  db.mend(db.monitor);
  db.follow();
  db.as_owner("UPDATE incidents SET good_since = now() - interval '1 hour'");
  db.follow();
  auto const found = db.all();
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].resolved_at);
  CHECK(found[0].posts.at(0).status == post_status::identified);
  // The next outage of the component has its own incident.
  db.break_down(db.monitor, "10 min");
  db.follow();
  CHECK(db.all().size() == 2);
}

TEST_CASE("an outage that had its incident writes nothing more, also after the incident was deleted") {
  automatic_shop db;
  db.break_down(db.monitor, "10 min");
  db.follow();
  auto const id = db.all().at(0).id;
  REQUIRE(db.post(db.page, id, post_status::identified).has_value());
  int reports = 0;
  db.upkeep.when_changed([&](std::vector<changed_thing> const&) { ++reports; });
  auto version = db.shown_version(db.page);
  db.follow();
  CHECK(db.shown_version(db.page) == version);
  CHECK_FALSE(failure(db.wait(db.incidents.remove(db.as_ed(), db.page, id, db.soon()))));
  version = db.shown_version(db.page);
  db.follow();
  CHECK(db.all().empty());
  CHECK(db.shown_version(db.page) == version);
  CHECK(reports == 0);
  // It uses up none of the ten incidents of a day.
  db.use_up_nine();
  auto const second = db.make_second();
  db.break_down(second, "10 min");
  db.follow();
  CHECK(db.rows("incidents WHERE slot IS NOT NULL") == 1);
}

TEST_CASE("time in maintenance does not count for an automatic incident") {
  automatic_shop db;
  db.break_down(db.monitor, "30 min");
  auto const window = db.make(db.single());
  db.activate(window.id);
  db.follow();
  CHECK(db.all().empty());
  db.as_owner("UPDATE maintenance_occurrences SET ends_at = now() - interval '4 min'");
  db.follow();
  CHECK(db.all().empty());
  db.as_owner("UPDATE maintenance_occurrences SET ends_at = now() - interval '6 min'");
  db.follow();
  CHECK(db.all().size() == 1);
}

TEST_CASE("a page gets at most ten automatic incidents within a day, and none while it is a draft or switched off") {
  automatic_shop db;
  db.use_up_nine();
  auto const second = db.make_second();
  db.break_down(db.monitor, "10 min");
  db.break_down(second, "10 min");
  db.follow();
  CHECK(db.rows("incidents WHERE slot IS NOT NULL") == 1);
  db.follow();
  CHECK(db.rows("incidents WHERE slot IS NOT NULL") == 1);
  auto const set_automatic = [&](bool automatic, pages::page_status status) {
    REQUIRE(db.change_page(db.page, [&](auto& set) {
                set.automatic_incidents = automatic;
                set.status = status;
              }).has_value());
    return db.wait(db.upkeep.automatic_pages({}, db.soon())).size();
  };
  CHECK(set_automatic(true, pages::page_status::draft) == 0);
  CHECK(set_automatic(false, pages::page_status::published) == 0);
  db.as_owner("UPDATE incidents SET created_at = now() - interval '25 hours'");
  db.wait(db.upkeep.follow_outages(db.page, db.soon()));
  CHECK(db.rows("incidents WHERE slot IS NOT NULL") == 1);
  CHECK(set_automatic(true, pages::page_status::published) == 1);
  db.follow();
  CHECK(db.rows("incidents WHERE slot IS NOT NULL") == 2);
}

TEST_CASE("the rows of a deleted page are deleted in batches, and nothing of other pages") {
  automatic_shop db;
  auto const other = db.make_page("other");
  db.make_component(other.id);
  db.make_incident(other.id);
  auto const incident = db.make_incident(db.page);
  db.make(db.shown_window(db.page, {db.web}));
  db.as_owner(
      "INSERT INTO incidents (id, project_id, page_id, name, impact, started_at, created_by, status, resolved_at)"
      " SELECT gen_random_uuid(), project_id, page_id, 'n', 'none', now(), created_by, 'resolved', now()"
      " FROM incidents CROSS JOIN generate_series(1, 25) n WHERE page_id = '" +
      db.page.to_string() +
      "'; INSERT INTO page_posts (id, project_id, parent_id, page_id, slot, status, body, display_at, notify)"
      " SELECT gen_random_uuid(), i.project_id, i.id, i.page_id, n, 'identified', 'x', now(), false"
      " FROM incidents i CROSS JOIN generate_series(2, 100) n WHERE i.page_id = '" +
      db.page.to_string() + "'");
  CHECK_FALSE(db.wait(db.upkeep.drop_old(db.soon())));
  CHECK_FALSE(failure(db.wait(db.status_pages.remove(db.as_ed(), db.page, db.soon()))));
  CHECK(db.wait(db.upkeep.drop_old(db.soon())));
  CHECK(db.rows("status_pages") == 2);
  CHECK(db.rows("page_posts WHERE page_id = '" + db.page.to_string() + "'") > 1000);
  int batches = 1;
  while (db.wait(db.upkeep.drop_old(db.soon()))) ++batches;
  CHECK(batches >= 3);
  CHECK(db.rows("status_pages") == 1);
  CHECK(db.rows("incidents") == 1);
  CHECK(db.rows("page_posts") == 1);
  CHECK(db.rows("page_components") == 1);
  CHECK(db.rows("page_occurrences") == 0);
  CHECK(db.rows("maintenance_windows") == 1);
  CHECK(db.rows("page_slugs WHERE page_id IS NULL") == 1);
  db.as_owner("UPDATE page_slugs SET ends_at = now() - interval '1 s' WHERE page_id IS NULL");
  CHECK_FALSE(db.wait(db.upkeep.drop_old(db.soon())));
  CHECK(db.rows("page_slugs") == 1);
  CHECK(incident.page == db.page);
}
