#include "shop.hpp"

#include <algorithm>
#include <functional>

using namespace svc;
using namespace svc::test;

namespace {

using names = std::map<uuid, std::string>;

/// Two projects; Ed has a token and a key in `shop` and a key in `blog`; Vi has a token and a key in `shop`.
struct two_projects : acme {
  two_projects() {
    blog = *wait(directory.create_project(organization, "blog", "Blog", actor, soon()));
    REQUIRE(wait(directory.set_project_role(blog, ed, "project_editor", actor, soon())).outcome.has_value());
    uuid const blog_job = job(blog, ada);
    make(cli(ed, "ed token"));
    make(cli(vi, "vi token"));
    ed_key = make(key(ed, "ed key")).id;
    vi_key = make(key(vi, "vi key")).id;
    store::new_token far = key(ed, "ed blog key");
    far.scope = {blog, blog_job};
    blog_key = make(far).id;
    known = {{ada, "ada"}, {ed, "ed"}, {vi, "vi"}, {ed_key, "ed_key"}, {vi_key, "vi_key"}, {blog_key, "blog_key"}};
  }
  uuid blog, ed_key, vi_key, blog_key;
  names known;
};

std::vector<std::string> sorted_names(names const& known, std::vector<uuid> const& ids) {
  std::vector<std::string> out;
  for (uuid const& id : ids) out.push_back(known.at(id));
  std::ranges::sort(out);
  return out;
}

std::vector<uuid> bumped(std::map<uuid, std::int64_t> const& before, std::map<uuid, std::int64_t> const& after) {
  std::vector<uuid> out;
  for (auto const& [id, epoch] : after)
    if (!before.contains(id) || before.at(id) < epoch) out.push_back(id);
  return out;
}

}  // namespace

TEST_CASE("each change advances exactly the subjects that it touches, and only once") {
  two_projects db;
  auto& directory = db.directory;
  auto const removal = [&]() -> store::change<> {
    auto done = db.wait(directory.remove_member(db.organization, db.ed, db.actor, db.soon()));
    if (!done.outcome) return {done.outcome.error(), std::move(done.touched)};
    return {result<>(), std::move(done.touched)};
  };
  std::vector<std::string> const ed_everywhere{"blog_key", "ed", "ed_key"};
  struct {
    char const* name;
    std::function<store::change<>()> act;
    std::vector<std::string> touches;
    char const* audit;
    std::optional<errc> repeated{};  ///< the result of a second time
  } const cases[] = {
      {"role in the organisation",
       [&] {
         return db.wait(directory.set_organization_role(db.organization, db.ed, "org_admin", db.actor, db.soon()));
       },
       ed_everywhere, "member.role_set"},
      {"role in a project",
       [&] { return db.wait(directory.set_project_role(db.project, db.ed, "project_viewer", db.actor, db.soon())); },
       {"ed", "ed_key"},
       "member.role_set"},
      {"ban", [&] { return db.wait(directory.set_banned(db.ed, true, db.actor, db.soon())); }, ed_everywhere,
       "user.banned"},
      {"unban", [&] { return db.wait(directory.set_banned(db.ed, false, db.actor, db.soon())); }, ed_everywhere,
       "user.unbanned"},
      {"archive",
       [&] { return db.wait(directory.set_archived(db.project, true, db.actor, db.soon())); },
       {"ada", "ed", "ed_key", "vi", "vi_key"},
       "project.archived"},
      {"unarchive",
       [&] { return db.wait(directory.set_archived(db.project, false, db.actor, db.soon())); },
       {"ada", "ed", "ed_key", "vi", "vi_key"},
       "project.unarchived"},
      {"project role taken",
       [&] { return db.wait(directory.remove_project_role(db.blog, db.ed, db.actor, db.soon())); },
       {"blog_key", "ed"},
       "member.role_removed",
       errc::not_found},
      {"removal", removal, ed_everywhere, "member.removed", errc::not_found},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const before = db.epochs();
    std::int64_t const rows = db.audit_rows(c.audit);
    auto const done = c.act();
    REQUIRE(done.outcome.has_value());
    auto const after = db.epochs();
    CHECK(sorted_names(db.known, subjects_of(done.touched)) == c.touches);
    CHECK(sorted_names(db.known, bumped(before, after)) == c.touches);
    for (subject_epoch const& epoch : done.touched) CHECK(epoch.epoch == after.at(epoch.subject));
    CHECK(db.audit_rows(c.audit) == rows + 1);

    // Again: nothing changes, and the same subjects are returned with their current epochs.
    auto const again = c.act();
    CHECK(again.outcome.has_value() == !c.repeated);
    CHECK(sorted_names(db.known, subjects_of(again.touched)) == c.touches);
    CHECK(db.epochs() == after);
    CHECK(db.audit_rows(c.audit) == rows + 1);
  }
}

TEST_CASE("a removal lists the credentials beforehand, ends exactly those, and audits each") {
  two_projects db;
  auto const planned = db.wait(db.directory.impact_of_removal(db.organization, db.ed, db.soon()));
  CHECK(planned.stopped.size() == 3);
  CHECK(planned.runner_tokens.empty());
  CHECK(db.audit_rows("member.removed") == 0);
  auto const done = db.wait(db.directory.remove_member(db.organization, db.ed, db.actor, db.soon()));
  REQUIRE(done.outcome.has_value());
  CHECK(done.outcome->size() == 3);
  CHECK(db.audit_rows("cli_token.disabled") == 1);
  CHECK(db.audit_rows("trigger_key.disabled") == 2);
  auto const listed = db.wait(db.tokens.list({db.project}, {}, db.soon()));
  REQUIRE(listed.has_value());
  for (auto const& t : listed->rows) CHECK(t.enabled == (t.owner != db.ed));

  // Nobody enables it again, not even an administrator.
  auto const change = db.wait(
      db.tokens.update({db.project}, listed->rows[0].id, {.enabled = true}, as(db.ada, role::org_owner), db.soon()));
  REQUIRE_FALSE(change.outcome.has_value());
  CHECK(change.outcome.error().code == errc::permission_denied);
}

TEST_CASE("bump writes the outbox row, grows strictly and never returns to a used number") {
  acme db;
  constexpr postgres::statement bump{
      "bump_test", "SELECT subject_epoch FROM bump_subjects(ARRAY[$1::uuid]) WHERE subject_id = $1"};
  std::int64_t last = db.epoch(db.ed);
  for (int i = 0; i < 20; ++i) {
    std::int64_t const next = db.number({bump, postgres::parameters(db.ed)});
    CHECK(next > last);
    last = next;
  }
  // Far ahead (a lift, a faster clock): it still grows by one.
  db.as_owner("UPDATE subjects SET epoch = 9000000000000000");
  CHECK(db.number({bump, postgres::parameters(db.ed)}) == 9000000000000001);
  CHECK(
      db.number({{"outbox_test", "SELECT count(*) FROM subject_outbox WHERE delivered_at IS NULL AND $1 = ANY (ids)"},
                 postgres::parameters(db.ed)}) >= 21);
  CHECK(db.must({bump, postgres::parameters(uuid::generate_v7())}).empty());
}

TEST_CASE("an organization and a project have the names that they were given") {
  acme db;
  auto const organization = *db.wait(db.directory.create_organization("other", "Other Inc.", db.actor, db.soon()));
  REQUIRE(db.wait(db.directory.create_project(organization, "web", "Web Shop", db.actor, db.soon())).has_value());
  auto const found =
      db.must({{"given_names",
                "SELECT o.name, p.name FROM organizations o JOIN projects p ON p.organization_id = o.id"
                " WHERE o.slug = 'other'"}});
  REQUIRE(found.size() == 1);
  CHECK(found.front().text(0) == "Other Inc.");
  CHECK(found.front().text(1) == "Web Shop");
}

TEST_CASE("changes that the directory refuses") {
  acme db;
  auto const code = [](auto const& r) { return r ? std::nullopt : std::optional<errc>(r.error().code); };
  auto& d = db.directory;
  auto const until = db.soon();
  CHECK(code(db.wait(d.create_user("ADA@acme.test", "Ada", db.actor, until))) == errc::name_taken);
  CHECK(code(db.wait(d.create_user("no address", "Ada", db.actor, until))) == errc::validation_failed);
  CHECK(code(db.wait(d.create_user("x@y", " ", db.actor, until))) == errc::validation_failed);
  CHECK(code(db.wait(d.create_organization("acme", "A", db.actor, until))) == errc::name_taken);
  CHECK(code(db.wait(d.create_organization("Acme Inc", "A", db.actor, until))) == errc::validation_failed);
  CHECK(code(db.wait(d.create_organization("blank", " ", db.actor, until))) == errc::validation_failed);
  CHECK(code(db.wait(d.create_project(db.organization, "shop", "S", db.actor, until))) == errc::name_taken);
  CHECK(code(db.wait(d.create_project(uuid::generate_v7(), "s", "S", db.actor, until))) == errc::not_found);
  CHECK(code(db.wait(d.create_project(db.organization, "blank", " ", db.actor, until))) == errc::validation_failed);
  CHECK(code(db.wait(d.find_user("nobody@acme.test", until))) == errc::not_found);
  CHECK(code(db.wait(d.find_organization("nowhere", until))) == errc::not_found);
  CHECK(code(db.wait(d.find_project("acme/nowhere", until))) == errc::not_found);
  CHECK(code(db.wait(d.find_project("shop", until))) == errc::validation_failed);
  CHECK(db.wait(d.find_project("acme/shop", until)).value() == db.project);
  CHECK(db.wait(d.find_user("ada@ACME.test", until)).value().id == db.ada);
  CHECK(code(db.wait(d.set_organization_role(db.organization, db.ed, "king", db.actor, until)).outcome) ==
        errc::validation_failed);
  uuid const stranger = *db.wait(d.create_user("s@else.test", "S", db.actor, until));
  CHECK(code(db.wait(d.set_project_role(db.project, stranger, "project_admin", db.actor, until)).outcome) ==
        errc::not_found);
  CHECK(code(db.wait(d.set_banned(uuid::generate_v7(), true, db.actor, until)).outcome) == errc::not_found);
  CHECK(code(db.wait(d.set_archived(uuid::generate_v7(), true, db.actor, until)).outcome) == errc::not_found);
}

TEST_CASE("the audit log is read newest first, by organisation, project and action") {
  acme db;
  db.make(db.cli(db.ed, "ci"));
  auto const all = db.wait(db.audit.list({.organization = db.organization}, {1, 100}, db.soon()));
  CHECK(all.total == static_cast<std::int64_t>(all.rows.size()));
  CHECK(all.rows.front().entry.action == "cli_token.created");
  CHECK(all.rows.front().entry.actor.name == "operator");
  CHECK(all.rows.back().entry.action == "organization.created");
  auto const page = db.wait(db.audit.list({.project = db.project, .action = "cli_token.created"}, {}, db.soon()));
  CHECK(page.total == 1);
  auto const past = db.wait(db.audit.list({.project = db.project}, {9, 100}, db.soon()));
  CHECK(past.rows.empty());
  CHECK(past.total > 0);
}

TEST_CASE("the audit trail is filtered by action, user and time, within its project") {
  shop db;
  uuid const test = db.make_test("t").id;
  CHECK_FALSE(failure(db.wait(db.tests.remove(db.as_ed(), test, db.soon()))));
  CHECK(db.wait(db.tests.create(db.elsewhere(), {.title = "abroad"}, db.soon())).has_value());
  auto const total = [&](store::audit_filter which) {
    which.project = db.project;
    return db.wait(db.audit.list(which, {}, db.soon())).total;
  };
  auto const all = total({});
  auto const newest = db.wait(db.audit.list({.project = db.project}, {}, db.soon())).rows.front();
  CHECK(newest.entry.action == "test.deleted");
  auto const then = newest.created_at;
  auto const later = then + std::chrono::microseconds(1);
  CHECK(total({.action = "test.created"}) == 1);
  CHECK(total({.actor = db.ed}) == 2);
  CHECK(total({.action = "test.created", .actor = db.ada}) == 0);
  CHECK(total({.start = then}) == 1);
  CHECK(total({.start = later}) == 0);
  CHECK(total({.end = then}) == all - 1);
  CHECK(total({.end = later}) == all);
  CHECK(db.wait(db.audit.list({.project = db.other_project, .actor = db.ada}, {}, db.soon())).total == 1);
}
