// Projects of an organisation and their members.
#include "../shop.hpp"

#include "svc/store/accounts/project_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <functional>
#include <thread>

using namespace svc;
using namespace svc::test;

namespace {

struct project_fixture : acme {
  quota_table quotas{.projects = 5};
  store::project_store projects{pool, quotas};

  store::editor edit(version_condition expected = {}) {
    return {.project = project, .organization = organization, .actor = actor, .expected = std::move(expected)};
  }
  store::change<store::shown_project> create(std::string slug) {
    return wait(projects.create(organization, std::move(slug), "A project", actor, soon()));
  }
  std::optional<errc> give(uuid user, role given) {
    auto const done = wait(projects.set_member(edit(), user, given, soon()));
    return done.outcome ? std::nullopt : std::optional(done.outcome.error().code);
  }
};

task<> create_at_once(project_fixture& db, std::string slug, std::vector<errc>& refusals, int& left) {
  auto const done = co_await db.projects.create(db.organization, std::move(slug), "P", db.actor, db.soon());
  if (!done.outcome) refusals.push_back(done.outcome.error().code);
  --left;
}

/// Waits until the other transaction holds its locks.
void until_held(project_fixture& db) {
  postgres::query const ready{{"test_held",
                               "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 1 AND granted"
                               " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"}};
  auto const until = steady::now() + std::chrono::seconds(20);
  while (db.number(ready) != 1) REQUIRE(steady::now() < until);
}

}  // namespace

TEST_CASE("an organization has its quota of projects, archived ones included, however many are created at once") {
  project_fixture db;
  auto const first = db.create("first");
  REQUIRE(first.outcome.has_value());
  CHECK(first.outcome->slug == "first");
  CHECK(first.outcome->organization_slug == "acme");
  CHECK_FALSE(first.outcome->archived_at);
  CHECK(db.create("first").outcome.error().code == errc::name_taken);
  CHECK(db.audit_rows("project.created") == 2);
  auto const archived =
      db.wait(db.projects.set_archived(db.organization, first.outcome->id, true, db.actor, db.soon()));
  REQUIRE(archived.outcome.has_value());
  CHECK(archived.outcome->archived_at.has_value());
  CHECK_FALSE(archived.touched.empty());
  auto const foreign =
      db.wait(db.projects.set_archived(uuid::generate_v7(), first.outcome->id, false, db.actor, db.soon()));
  CHECK(foreign.outcome.error().code == errc::not_found);

  std::vector<errc> refusals;
  int left = 32;
  for (int i = 0; i < 32; ++i)
    asio::co_spawn(db.io, create_at_once(db, "p" + std::to_string(i), refusals, left), asio::detached);
  db.io.restart();
  while (left > 0 && db.io.run_one() > 0) {
  }
  CHECK(left == 0);
  CHECK(refusals == std::vector(29, errc::project_limit_reached));
  auto const all = db.wait(db.projects.list(db.organization, {}, db.soon()));
  CHECK(all.total == 5);
  REQUIRE(all.rows.size() == 5);
  CHECK(all.rows.back().id == db.project);
  CHECK(all.rows[3].archived_at.has_value());
  auto const page = db.wait(db.projects.list(db.organization, {.number = 1, .limit = 4}, db.soon()));
  REQUIRE(page.next);
  auto const rest =
      db.wait(db.projects.list(db.organization, {.number = 2, .limit = 4, .after = page.next}, db.soon()));
  REQUIRE(rest.rows.size() == 1);
  CHECK(rest.rows[0].id == db.project);
}

TEST_CASE("a project is renamed by its version, and not while it is archived or by another organization") {
  project_fixture db;
  auto const done = db.wait(db.projects.rename(db.edit({.match = std::vector<std::int64_t>{1}}), "New", db.soon()));
  REQUIRE(done.outcome.has_value());
  CHECK(done.outcome->name == "New");
  CHECK(done.outcome->version == 2);
  CHECK(db.audit_rows("project.updated") == 1);
  auto const late = db.wait(db.projects.rename(db.edit({.match = std::vector<std::int64_t>{1}}), "Newer", db.soon()));
  CHECK(late.outcome.error().code == errc::precondition_failed);
  auto foreign = db.edit();
  foreign.organization = uuid::generate_v7();
  CHECK(db.wait(db.projects.rename(foreign, "Theirs", db.soon())).outcome.error().code == errc::not_found);
  CHECK(db.wait(db.projects.read(foreign.organization, db.project, db.soon())).error().code == errc::not_found);
  REQUIRE(db.wait(db.directory.set_archived(db.project, true, db.actor, db.soon())).outcome.has_value());
  CHECK(db.wait(db.projects.rename(db.edit(), "Gone", db.soon())).outcome.error().code == errc::not_found);
  CHECK(db.wait(db.projects.read(db.organization, db.project, db.soon()))->name == "New");
}

TEST_CASE("members of a project are members of its organization, and groups keep their roles") {
  project_fixture db;
  auto const stranger = *db.wait(db.directory.create_user("sam@other.test", "Sam", db.actor, db.soon()));
  CHECK(db.give(stranger, role::project_viewer) == errc::not_found);
  auto const key = db.make(db.key(db.ed, "hook"));
  auto const raised = db.wait(db.projects.set_member(db.edit(), db.ed, role::project_admin, db.soon()));
  REQUIRE(raised.outcome.has_value());
  CHECK(raised.outcome->role == "project_admin");
  auto bumped = subjects_of(raised.touched), wanted = std::vector{db.ed, key.id};
  std::ranges::sort(bumped);
  std::ranges::sort(wanted);
  CHECK(bumped == wanted);
  auto const rows = db.audit_rows("member.role_set");
  CHECK(db.give(db.ed, role::project_admin) == std::nullopt);
  CHECK(db.audit_rows("member.role_set") == rows);
  CHECK(db.give(db.ada, role::project_viewer) == std::nullopt);
  CHECK(db.wait(db.projects.members(db.project, {}, db.soon())).total == 3);

  db.must({{"project_managed_test", "UPDATE project_members SET source = 'idp' WHERE user_id = $1"},
           postgres::parameters(db.vi)});
  CHECK(db.give(db.vi, role::project_viewer) == std::nullopt);
  CHECK(db.give(db.vi, role::project_admin) == errc::role_managed_by_provider);
  auto const remove = [&](uuid user) { return db.wait(db.projects.remove_member(db.edit(), user, db.soon())); };
  CHECK(remove(db.vi).outcome.error().code == errc::role_managed_by_provider);
  CHECK(remove(stranger).outcome.error().code == errc::not_found);
  auto const gone = remove(db.ed);
  CHECK(gone.outcome.has_value());
  CHECK(gone.touched.size() == 2);
  CHECK(remove(db.ed).outcome.error().code == errc::not_found);
  CHECK(db.audit_rows("member.role_removed") == 1);
}

// Without this, a role whose COMMIT comes between the search for the people of a project and the COMMIT of its
// archiving leaves a record that nothing bumps.
TEST_CASE("roles and an archiving project wait for each other") {
  project_fixture db;
  auto& directory = db.directory;
  struct {
    char const* name;
    std::function<void()> act;
  } const cases[] = {
      {"a role in a project", [&] { CHECK_FALSE(db.give(db.vi, role::project_admin)); }},
      {"a role in a project by the operator",
       [&] {
         CHECK(db.wait(directory.set_project_role(db.project, db.ed, "project_admin", db.actor, db.soon()))
                   .outcome.has_value());
       }},
      {"a role in the organization",
       [&] {
         CHECK(db.wait(directory.set_organization_role(db.organization, db.ed, "org_admin", db.actor, db.soon()))
                   .outcome.has_value());
       }},
      {"an archived project",
       [&] { CHECK(db.wait(directory.set_archived(db.project, true, db.actor, db.soon())).outcome.has_value()); }},
  };
  std::string const organization = "'" + db.organization.to_string() + "'";
  for (auto const& c : cases) {
    CAPTURE(c.name);
    std::thread other([&] {
      db.as_owner("SELECT FROM organizations WHERE id = " + organization +
                  " FOR NO KEY UPDATE; SELECT pg_advisory_xact_lock_shared(1);"
                  "UPDATE organizations SET name = 'nobody waited' WHERE id = " +
                  organization + ";" + until_another_waits +
                  "UPDATE organizations SET name = 'another waited' WHERE id = " + organization +
                  " AND EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pg_blocking_pids(pid) @> "
                  "ARRAY[pg_backend_pid()])");
    });
    until_held(db);
    c.act();
    other.join();
    CHECK(db.number({{"test_waited", "SELECT count(*) FROM organizations WHERE name = 'another waited'", true}}) ==
          1);
  }
}
