// Status pages as their editors see and change them, with slugs and logos.
#include "page_fixture.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

using namespace svc;
using namespace svc::test;
using pages::page_status;

namespace {

task<> try_page(paged_shop& db, pages::page_settings set, int& made, int& refused, int& left) {
  auto const done = co_await db.status_pages.create(db.as_ed(), db.ed, std::move(set), db.soon());
  if (done) ++made;
  if (!done && done.error().code == errc::status_page_limit_reached) ++refused;
  --left;
}

result<pages::status_page> create_elsewhere(paged_shop& db, std::string slug) {
  return db.wait(db.status_pages.create(db.elsewhere(), db.ed, paged_shop::page_named(std::move(slug)), db.soon()));
}

/// Moves the end of all reserved slugs into the past.
void end_reservations(paged_shop& db) {
  db.as_owner("UPDATE page_slugs SET ends_at = now() - interval '1 s' WHERE ends_at IS NOT NULL");
}

}  // namespace

TEST_CASE("a status page is created, listed, changed and deleted, each with its audit row") {
  paged_shop db;
  auto set = db.page_named("acme");
  set.status = page_status::draft;
  set.visible = pages::visibility::restricted;
  set.allowed_cidrs = {"203.0.113.0/24", "2001:db8::/32"};
  set.language = pages::page_language::pl;
  set.providers = {db.hook()};
  auto const made = db.create_page(set);
  REQUIRE(made.has_value());
  CHECK(made->set.allowed_cidrs == set.allowed_cidrs);
  CHECK(made->set.language == pages::page_language::pl);
  CHECK(made->set.providers == set.providers);
  CHECK(made->status == pages::component_status::unknown);
  CHECK(made->proof.token.starts_with("svc-verify="));
  CHECK(made->version == 1);
  auto const other = db.make_page("other");
  CHECK(other.proof.token != made->proof.token);

  auto const all = db.wait(db.status_pages.list(db.project, {}, {.limit = 1}, db.soon()));
  CHECK(all.total == 2);
  REQUIRE(all.rows.size() == 1);
  CHECK(all.rows[0].id == other.id);
  REQUIRE(all.next);
  CHECK(db.wait(db.status_pages.list(db.project, {}, {.after = all.next}, db.soon())).rows.at(0).id == made->id);
  auto const drafts = db.wait(db.status_pages.list(db.project, {.status = page_status::draft}, {}, db.soon()));
  CHECK(drafts.total == 1);
  CHECK(db.wait(db.status_pages.list(db.project, {.search = "PAGE OTH"}, {}, db.soon())).total == 1);
  CHECK(db.wait(db.status_pages.list(db.project, {.search = "%"}, {}, db.soon())).total == 0);
  CHECK(db.wait(db.status_pages.list(db.other_project, {}, {}, db.soon())).total == 0);
  CHECK(failure(db.wait(db.status_pages.get(db.other_project, made->id, db.soon()))) == errc::not_found);

  REQUIRE(db.change_page(made->id, [](auto& next) { next.status = page_status::published; }).has_value());
  auto const renamed = db.change_page(made->id, [](auto& next) { next.headline = "All is well"; });
  REQUIRE(renamed.has_value());
  CHECK(renamed->version == 3);
  CHECK(renamed->set.headline == "All is well");
  REQUIRE(db.change_page(made->id, [](auto& next) { next.status = page_status::archived; }).has_value());
  CHECK(failure(db.wait(db.status_pages.remove(db.as_ed({{1}}), made->id, db.soon()))) == errc::precondition_failed);
  CHECK(failure(db.wait(db.status_pages.remove(db.elsewhere(), made->id, db.soon()))) == errc::not_found);
  CHECK_FALSE(failure(db.wait(db.status_pages.remove(db.as_ed(), made->id, db.soon()))));
  CHECK(failure(db.wait(db.status_pages.get(db.project, made->id, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.status_pages.remove(db.as_ed(), made->id, db.soon()))) == errc::not_found);
  CHECK(db.audit_rows("status_page.created") == 2);
  CHECK(db.audit_rows("status_page.published") == 1);
  CHECK(db.audit_rows("status_page.updated") == 1);
  CHECK(db.audit_rows("status_page.archived") == 1);
  CHECK(db.audit_rows("status_page.deleted") == 1);
}

TEST_CASE("a page refuses providers that take no posts, and an archived project gets no page") {
  paged_shop db;
  auto set = db.page_named("acme");
  set.providers = {db.hook(), uuid::generate_v7()};
  CHECK(fields(db.create_page(set)) == "/notificationProviders/1");
  db.as_owner("UPDATE notification_providers SET type = 'pagerduty'");
  set.providers = {db.hook()};
  CHECK(fields(db.create_page(set)) == "/notificationProviders/0");
  CHECK(db.rows("status_pages") == 0);
  CHECK(db.rows("page_slugs") == 0);
  set.providers = {};
  auto const made = db.create_page(set);
  REQUIRE(made.has_value());
  db.as_owner("UPDATE projects SET archived_at = now() WHERE id = '" + db.project.to_string() + "'");
  CHECK(failure(db.create_page(db.page_named("second"))) == errc::project_archived);
  CHECK(failure(db.rename_page(made->id, "second")) == errc::project_archived);
  CHECK_FALSE(db.wait(db.snapshots.find_slug("acme", db.soon())));
}

TEST_CASE("a former slug leads to its page for 90 days, and nobody else can take it before") {
  paged_shop db;
  auto const made = db.make_page("acme");
  CHECK(failure(db.create_page(db.page_named("acme"))) == errc::slug_taken);
  CHECK(failure(create_elsewhere(db, "acme")) == errc::slug_taken);
  auto const renamed = db.rename_page(made.id, "acme-two");
  REQUIRE(renamed.has_value());
  CHECK(renamed->set.slug == "acme-two");
  auto const former = db.wait(db.snapshots.find_slug("acme", db.soon()));
  REQUIRE(former);
  CHECK(former->id == made.id);
  CHECK(former->former);
  CHECK(former->slug == "acme-two");
  CHECK_FALSE(db.wait(db.snapshots.find_slug("acme-two", db.soon()))->former);
  CHECK(failure(create_elsewhere(db, "acme")) == errc::slug_taken);
  // The project itself may use its former slug for another page.
  auto const second = db.create_page(db.page_named("acme"));
  REQUIRE(second.has_value());
  CHECK(db.wait(db.snapshots.find_slug("acme", db.soon()))->id == second->id);
  CHECK_FALSE(failure(db.wait(db.status_pages.remove(db.as_ed(), second->id, db.soon()))));
  CHECK_FALSE(db.wait(db.snapshots.find_slug("acme", db.soon())));
  CHECK(failure(create_elsewhere(db, "acme")) == errc::slug_taken);
  CHECK(db.rename_page(made.id, "acme").has_value());
  CHECK(db.rename_page(made.id, "acme-three").has_value());
  end_reservations(db);
  CHECK_FALSE(db.wait(db.snapshots.find_slug("acme", db.soon())));
  CHECK(create_elsewhere(db, "acme").has_value());
}

TEST_CASE("a page keeps five former slugs and refuses the sixth change, until one has ended") {
  paged_shop db;
  auto const made = db.make_page("slug-0");
  for (int i = 1; i <= 5; ++i) REQUIRE(db.rename_page(made.id, "slug-" + std::to_string(i)).has_value());
  CHECK(failure(db.rename_page(made.id, "slug-6")) == errc::slug_change_limit_reached);
  CHECK(db.rows("page_slugs") == 6);
  // Its own former slug has a slot already.
  CHECK(db.rename_page(made.id, "slug-2").has_value());
  CHECK(db.rows("page_slugs") == 6);
  end_reservations(db);
  CHECK(db.rename_page(made.id, "slug-6").has_value());
  CHECK(db.rows("page_slugs") == 2);
}

TEST_CASE("a project reserves the slugs of its newest hundred deleted pages") {
  paged_shop db;
  db.as_owner("INSERT INTO page_slugs (slug, project_id, ends_at) SELECT 'old-' || n, '" + db.project.to_string() +
              "', now() + n * interval '1 min' FROM generate_series(1, 100) n");
  auto const made = db.make_page("acme");
  CHECK_FALSE(failure(db.wait(db.status_pages.remove(db.as_ed(), made.id, db.soon()))));
  CHECK(db.rows("page_slugs WHERE page_id IS NULL") == 100);
  CHECK(db.rows("page_slugs WHERE slug = 'old-1'") == 0);
  CHECK(db.rows("page_slugs WHERE slug = 'acme' AND ends_at > now() + interval '89 days'") == 1);
}

TEST_CASE("the operator frees a reserved slug, but not one in use, and archives a page by slug or id") {
  paged_shop db;
  auto const made = db.make_page("acme");
  REQUIRE(db.rename_page(made.id, "acme-two").has_value());
  CHECK_FALSE(db.wait(db.page_admin.release_slug(db.actor, "acme-two", db.soon())));
  CHECK_FALSE(db.wait(db.page_admin.release_slug(db.actor, "nothing", db.soon())));
  CHECK(db.wait(db.page_admin.release_slug(db.actor, "acme", db.soon())));
  CHECK(create_elsewhere(db, "acme").has_value());
  auto const before = db.shown_version(made.id);
  CHECK(before > 0);
  CHECK(db.wait(db.page_admin.archive_page(db.actor, "acme-two", db.soon())));
  CHECK(db.shown_version(made.id) == 0);
  CHECK_FALSE(db.wait(db.page_admin.archive_page(db.actor, made.id.to_string(), db.soon())));
  CHECK_FALSE(db.wait(db.page_admin.archive_page(db.actor, "no'slug", db.soon())));
  CHECK(db.wait(db.status_pages.get(db.project, made.id, db.soon()))->set.status == page_status::archived);
  CHECK(db.audit_rows("status_page.archived") == 1);
}

TEST_CASE("a project has exactly as many status pages as its quota, however many arrive at once") {
  paged_shop db;
  int made = 0, refused = 0, left = 64;
  for (int i = 0; i < 64; ++i)
    asio::co_spawn(db.io, try_page(db, db.page_named("page-" + std::to_string(i)), made, refused, left),
                   asio::detached);
  db.io.restart();
  while (left > 0 && db.io.run_one() > 0) {
  }
  CHECK(made == 20);
  CHECK(refused == 44);
  CHECK(db.rows("status_pages") == 20);
  CHECK(db.rows("page_slugs") == 20);
  auto const last = db.wait(db.status_pages.list(db.project, {}, {}, db.soon())).rows.at(0);
  CHECK_FALSE(failure(db.wait(db.status_pages.remove(db.as_ed(), last.id, db.soon()))));
  CHECK(db.create_page(db.page_named("one-more")).has_value());
}

TEST_CASE("a logo is stored as it was sent, and its page shows it") {
  paged_shop db;
  auto const made = db.make_page();
  std::string const bytes("\x89PNG\r\n\x1a\n\0\xff", 10);
  auto const set = db.wait(
      db.status_pages.set_logo(db.as_ed(), made.id, {.content_type = "image/png", .bytes = bytes}, db.soon()));
  REQUIRE(set.has_value());
  CHECK(set->logo_type == "image/png");
  CHECK(set->version == 2);
  CHECK(db.serve(made.id).snapshot.page.logo_type == "image/png");
  auto const logo = db.wait(db.snapshots.logo(made.id, db.soon()));
  REQUIRE(logo);
  CHECK(logo->bytes == bytes);
  CHECK(failure(db.wait(db.status_pages.remove_logo(db.as_ed({{1}}), made.id, db.soon()))) ==
        errc::precondition_failed);
  CHECK_FALSE(failure(db.wait(db.status_pages.remove_logo(db.as_ed(), made.id, db.soon()))));
  CHECK_FALSE(failure(db.wait(db.status_pages.remove_logo(db.as_ed(), made.id, db.soon()))));
  CHECK_FALSE(db.wait(db.snapshots.logo(made.id, db.soon())));
  CHECK(db.wait(db.status_pages.get(db.project, made.id, db.soon()))->version == 3);
}
