// Bounds of status pages that the schema itself enforces, and the plans of their statements.
#include "page_fixture.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("slots of status pages and their parts have the range of their bounds") {
  paged_shop db;
  auto const page = db.make_page();
  auto const web = db.make_component(page.id);
  auto const incident = db.make_incident(page.id);
  auto const window = db.make(db.single());
  auto const hook = db.hook();
  auto const quoted = [](uuid id) { return "'" + id.to_string() + "'"; };
  auto const project = quoted(db.project), own = quoted(page.id), component = quoted(web.id);
  auto const of_window = project + ", " + quoted(window.id) + ", ";
  struct row {
    char const* constraint;
    std::string statement;  ///< up to the value of the slot
    std::string rest;
    int last;
  };
  for (auto const& [constraint, statement, rest, last] : std::initializer_list<row>{
           {"page_slugs_slot_range",
            "INSERT INTO page_slugs (slug, project_id, page_id, ends_at, slot) VALUES ('forced', " + project + ", " +
                own + ", now(), ",
            ")", 5},
           {"page_components_slot_range",
            "INSERT INTO page_components (id, project_id, page_id, position, name, slot) VALUES "
            "(gen_random_uuid(), " +
                project + ", " + own + ", 0, 'x', ",
            ")", 100},
           {"page_component_monitors_slot_range",
            "INSERT INTO page_component_monitors (page_id, component_id, page_slot, monitor_id, slot) VALUES (" +
                own + ", " + component + ", 1, gen_random_uuid(), ",
            ")", 50},
           {"page_component_monitors_page_slot_range",
            "INSERT INTO page_component_monitors (page_id, component_id, slot, monitor_id, page_slot) VALUES (" +
                own + ", " + component + ", 1, gen_random_uuid(), ",
            ")", 1000},
           {"incidents_slot_range",
            "INSERT INTO incidents (id, project_id, page_id, name, impact, status, started_at, created_by, slot) "
            "VALUES"
            " (gen_random_uuid(), " +
                project + ", " + own + ", 'x', 'none', 'identified', now(), " + quoted(db.ed) + ", ",
            ")", 50},
           {"incident_components_slot_range",
            "INSERT INTO incident_components (page_id, incident_id, component_id, status, slot) VALUES (" + own +
                ", " + quoted(incident.id) + ", " + component + ", 'operational', ",
            ")", 100},
           {"page_posts_slot_range",
            "INSERT INTO page_posts (id, project_id, parent_id, page_id, status, body, display_at, notify, slot) "
            "VALUES"
            " (gen_random_uuid(), " +
                project + ", " + quoted(incident.id) + ", " + own + ", 'identified', 'x', now(), false, ",
            ")", 100},
           {"maintenance_window_pages_slot_range",
            "INSERT INTO maintenance_window_pages (project_id, window_id, page_id, slot) VALUES (" + of_window + own +
                ", ",
            ")", 10},
           {"maintenance_window_components_slot_range",
            "INSERT INTO maintenance_window_components (project_id, window_id, component_id, slot) VALUES (" +
                of_window + component + ", ",
            ")", 50},
           {"page_providers_slot_range",
            "INSERT INTO page_providers (project_id, page_id, provider_id, slot) VALUES (" + project + ", " + own +
                ", " + quoted(hook) + ", ",
            ")", 10}}) {
    CAPTURE(constraint);
    auto const insert = [&](int slot) {
      auto const text = statement + std::to_string(slot) + rest;
      auto const label = std::string(constraint) + "_" + std::to_string(slot < 0 ? 9999 : slot) + "_test";
      auto const done = db.run({{label, text}});
      return done ? std::string() : done.error().constraint;
    };
    CHECK(insert(-1) == constraint);
    CHECK(insert(last + 1) == constraint);
    CHECK(insert(last) == "");
  }
}

TEST_CASE("pages, components and providers of another project cannot be combined with a window or a page") {
  paged_shop db;
  auto const page = db.make_page();
  auto const window = db.make(db.single());
  auto const refused = [&](char const* label, std::string const& text) {
    auto const done = db.run({{label, text}});
    return done ? std::string() : done.error().constraint;
  };
  auto const other = db.other_project.to_string();
  CHECK(refused("foreign_window_test",
                "INSERT INTO maintenance_window_pages (project_id, window_id, page_id, slot) VALUES ('" + other +
                    "', '" + window.id.to_string() + "', '" + page.id.to_string() + "', 1)")
            .starts_with("maintenance_window_pages_"));
  CHECK(refused("foreign_provider_test",
                "INSERT INTO page_providers (project_id, page_id, provider_id, slot) VALUES ('" + other + "', '" +
                    page.id.to_string() + "', '" + db.hook().to_string() + "', 1)")
            .starts_with("page_providers_"));
}

TEST_CASE("a snapshot is read through indexes, however many pages there are") {
  paged_shop db;
  auto const page = db.make_page();
  auto const web = db.make_component(page.id);
  auto const project = db.project.to_string(), ed = db.ed.to_string();
  db.as_owner(
      "INSERT INTO status_pages (id, project_id, name, status, domain_token, created_by) SELECT"
      " gen_random_uuid(), '" +
      project + "', 'n' || n, 'published', 'svc-verify=' || n || 'xxxxx', '" + ed +
      "' FROM generate_series(1, 2000) n;"
      "INSERT INTO page_components (id, project_id, page_id, slot, position, name) SELECT gen_random_uuid(),"
      " project_id, id, n, n, 'c' FROM status_pages CROSS JOIN generate_series(2, 6) n;"
      "INSERT INTO page_component_days SELECT id, date '2026-01-01' + n, 'operational', 86400, 0"
      " FROM page_components CROSS JOIN generate_series(1, 5) n;"
      "INSERT INTO incidents (id, project_id, page_id, name, impact, started_at, created_by, status,"
      " resolved_at) SELECT gen_random_uuid(), project_id, id, 'i', 'none', now(), created_by, 'resolved', now()"
      " FROM status_pages CROSS JOIN generate_series(1, 5) n;"
      "INSERT INTO page_posts (id, project_id, parent_id, page_id, slot, status, body, display_at, notify)"
      " SELECT gen_random_uuid(), project_id, id, page_id, n, 'identified', 'x', now(), false FROM incidents"
      " CROSS JOIN generate_series(1, 3) n;"
      "INSERT INTO page_occurrences (page_id, occurrence_id, window_id, project_id, name, body, components,"
      " notify, starts_at, ends_at, announced_at, changed_at) SELECT id, gen_random_uuid(), gen_random_uuid(),"
      " project_id, 'o', '', '{}', false, now(), now(), now(), now() FROM status_pages"
      " CROSS JOIN generate_series(1, 5) n;"
      "INSERT INTO page_slugs (slug, project_id, page_id, slot) SELECT 'slug-' || row_number() OVER (), project_id,"
      " id, 0 FROM status_pages WHERE name LIKE 'n%';"
      "ANALYZE");
  postgres::pool single_pool(db.io, {.url = secret_string(db.url()), .size = 1});
  single_pool.start();
  store::snapshot_source source{single_pool};
  REQUIRE(db.wait(source.read(page.id, db.soon())).has_value());
  REQUIRE(db.wait(source.find_slug("acme", db.soon())).has_value());
  auto const id = "'" + page.id.to_string() + "'";
  db.check_plans(single_pool,
                 {{"snapshot_page", id, {"status_pages_", "page_slugs_slot_unique"}},
                  {"page_evidence", "ARRAY[" + id + "]::uuid[]", {"page_components_"}},
                  {"snapshot_days", id, {"page_components_", "page_component_days_pkey"}},
                  {"snapshot_incidents", id, {"incidents_newest"}},
                  {"snapshot_posts", id, {"page_posts_newest"}},
                  {"snapshot_occurrences", id, {"page_occurrences_"}},
                  {"snapshot_occurrence_posts", id, {"page_occurrences_", "page_posts_"}},
                  {"snapshot_find_slug", "'acme'", {"page_slugs_pkey", "status_pages_"}}},
                 [](plan_case const& each, std::string const& plan) {
                   CAPTURE(each.statement);
                   CHECK(plan.find("Seq Scan on status_pages") == std::string::npos);
                 });
  CHECK(web.page == page.id);
}
