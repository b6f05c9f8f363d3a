#include "acme.hpp"

using namespace svc;
using namespace svc::test;

namespace {

store::token_scope shop_scope(acme const& db) {
  return {db.project};
}

}  // namespace

TEST_CASE("the life of a token: created, listed, disabled, enabled, revoked, each step audited and published") {
  acme db;
  store::stored_token const made = db.make(db.cli(db.ed, "ci"));
  CHECK(made.enabled);
  CHECK(made.version == 1);
  CHECK(made.owner_name == "Ed");
  CHECK(made.created_by_name == "Ed");
  CHECK_FALSE(made.expires_at);
  CHECK(db.audit_rows("cli_token.created") == 1);

  auto const listed = db.wait(db.tokens.list(shop_scope(db), {}, db.soon()));
  REQUIRE(listed.has_value());
  REQUIRE(listed->rows.size() == 1);
  CHECK(listed->total == 1);
  CHECK(listed->rows[0].id == made.id);
  CHECK_FALSE(listed->rows[0].last_used_at);

  std::int64_t before = db.epoch(db.ed);
  auto const off = db.wait(
      db.tokens.update(shop_scope(db), made.id, {.enabled = false}, as(db.ed, role::project_editor), db.soon()));
  REQUIRE(off.outcome.has_value());
  CHECK_FALSE(off.outcome->enabled);
  CHECK_FALSE(off.outcome->disabled_by);
  CHECK(off.outcome->version == 2);
  REQUIRE(subjects_of(off.touched) == std::vector<uuid>{db.ed});
  CHECK(off.touched[0].epoch > before);
  CHECK(off.touched[0].epoch == db.epoch(db.ed));
  CHECK(db.audit_rows("cli_token.disabled") == 1);

  // A change that changes nothing: nothing is written, but the current epoch is returned.
  before = db.epoch(db.ed);
  auto const again = db.wait(
      db.tokens.update(shop_scope(db), made.id, {.enabled = false}, as(db.ed, role::project_editor), db.soon()));
  REQUIRE(again.outcome.has_value());
  CHECK(again.outcome->version == 2);
  REQUIRE(again.touched.size() == 1);
  CHECK(again.touched[0].epoch == before);
  CHECK(db.epoch(db.ed) == before);
  CHECK(db.audit_rows("cli_token.disabled") == 1);

  auto const change = db.wait(db.tokens.update(shop_scope(db), made.id, {.enabled = true, .name = "ci-2"},
                                               as(db.ed, role::project_editor), db.soon()));
  REQUIRE(change.outcome.has_value());
  CHECK(change.outcome->name == "ci-2");
  CHECK(db.audit_rows("cli_token.enabled") == 1);

  auto const gone = db.wait(db.tokens.revoke(shop_scope(db), made.id, as(db.ed, role::project_editor), db.soon()));
  CHECK(gone.outcome.has_value());
  REQUIRE(gone.touched.size() == 1);
  CHECK(gone.touched[0].epoch > change.touched[0].epoch);
  CHECK(db.audit_rows("cli_token.revoked") == 1);
  CHECK(db.number({{"dead_test", "SELECT count(*) FROM token_secrets WHERE state = 'dead'"}}) == 1);

  // The tombstone: in no list, 404 everywhere, and each 404 carries the epoch.
  auto const repeated =
      db.wait(db.tokens.revoke(shop_scope(db), made.id, as(db.ed, role::project_editor), db.soon()));
  REQUIRE_FALSE(repeated.outcome.has_value());
  CHECK(repeated.outcome.error().code == errc::not_found);
  REQUIRE(repeated.touched.size() == 1);
  CHECK(repeated.touched[0].epoch == gone.touched[0].epoch);
  auto const seen = db.wait(db.tokens.get(shop_scope(db), made.id, db.soon()));
  CHECK(seen.outcome.error().code == errc::not_found);
  CHECK(seen.touched.size() == 1);
  CHECK(db.wait(db.tokens.list(shop_scope(db), {}, db.soon()))->total == 0);
  CHECK(db.audit_rows("cli_token.revoked") == 1);
  // Its name and slot are free again.
  db.make(db.cli(db.ed, "ci-2"));
}

TEST_CASE("every refusal of an update and of a revocation") {
  acme db;
  store::stored_token const token = db.make(db.cli(db.ed, "ci"));
  db.make(db.cli(db.ed, "other"));
  uuid const elsewhere = *db.wait(db.directory.create_project(db.organization, "blog", "Blog", db.actor, db.soon()));
  store::token_editor stale = as(db.ada, role::org_owner);
  stale.expected.match = {7};
  store::token_editor fresh = as(db.ada, role::org_owner);
  fresh.expected.match = {5, 1};
  struct {
    char const* name;
    store::token_scope scope;
    uuid id;
    store::token_edit edit;
    store::token_editor editor;
    std::optional<errc> expected;
  } const cases[] = {
      {"unknown id",
       {db.project},
       uuid::generate_v7(),
       {.enabled = false},
       as(db.ada, role::org_owner),
       errc::not_found},
      {"another project", {elsewhere}, token.id, {.enabled = false}, as(db.ada, role::org_owner), errc::not_found},
      {"as a job's key",
       {db.project, db.build},
       token.id,
       {.enabled = false},
       as(db.ada, role::org_owner),
       errc::not_found},
      {"somebody else's",
       {db.project},
       token.id,
       {.enabled = false},
       as_owner_only(db.vi, role::project_viewer),
       errc::permission_denied},
      {"another version", {db.project}, token.id, {.enabled = false}, stale, errc::precondition_failed},
      {"a name in use", {db.project}, token.id, {.name = "other"}, as(db.ada, role::org_owner), errc::name_taken},
      {"one of the versions", {db.project}, token.id, {.name = "renamed"}, fresh, std::nullopt},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const done = db.wait(db.tokens.update(c.scope, c.id, c.edit, c.editor, db.soon()));
    CHECK(done.outcome.has_value() == !c.expected);
    if (c.expected) CHECK(done.outcome.error().code == *c.expected);
    if (c.expected && *c.expected != errc::name_taken) {
      auto const gone = db.wait(db.tokens.revoke(c.scope, c.id, c.editor, db.soon()));
      REQUIRE_FALSE(gone.outcome.has_value());
      CHECK(gone.outcome.error().code == *c.expected);
    }
  }
}

TEST_CASE("only an administrator can enable a token that an administrator disabled") {
  acme db;
  store::stored_token const token = db.make(db.cli(db.ed, "ci"));
  auto const edit = [&](bool enabled, store::token_editor editor) {
    return db.wait(db.tokens.update(shop_scope(db), token.id, {.enabled = enabled}, std::move(editor), db.soon()))
        .outcome;
  };
  auto const off = edit(false, as(db.ada, role::org_owner));
  REQUIRE(off.has_value());
  CHECK(off->disabled_by == db.ada);
  auto const refused = edit(true, as(db.ed, role::project_editor));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::disabled_by_administrator);
  auto const target = edit(true, as(db.ada, role::org_owner));
  REQUIRE(target.has_value());
  CHECK_FALSE(target->disabled_by);
  REQUIRE(edit(false, as(db.ed, role::project_editor)).has_value());
  REQUIRE(edit(true, as(db.ed, role::project_editor)).has_value());
}

TEST_CASE("a user who lost the role after admission changes nothing that needs it, but can end their own token") {
  constexpr auto admin = "project_admin", editor = "project_editor", viewer = "project_viewer";
  enum class edit_kind { rename, disable, enable, revoke };
  struct {
    char const* name;
    char const* before;
    char const* now;
    bool own;
    edit_kind change;
    std::optional<errc> refused;
  } const cases[] = {
      {"renames", editor, viewer, false, edit_kind::rename, errc::permission_denied},
      {"renames the own", editor, viewer, true, edit_kind::rename, errc::permission_denied},
      {"disables", editor, viewer, false, edit_kind::disable, errc::permission_denied},
      {"disables the own", editor, viewer, true, edit_kind::disable, std::nullopt},
      {"revokes", admin, viewer, false, edit_kind::revoke, errc::permission_denied},
      {"revokes as an editor", admin, editor, false, edit_kind::revoke, errc::permission_denied},
      {"revokes the own", admin, viewer, true, edit_kind::revoke, std::nullopt},
      {"revokes the own, in no project", admin, "", true, edit_kind::revoke, errc::owner_without_role},
      {"renames as an editor", admin, editor, false, edit_kind::rename, std::nullopt},
      {"binds another's owner as an editor", admin, editor, false, edit_kind::disable, errc::permission_denied},
      {"lifts an administrator's switch as an editor", admin, editor, false, edit_kind::enable,
       errc::permission_denied},
      {"has the role again", admin, admin, false, edit_kind::revoke, std::nullopt},
  };
  for (bool const key : {false, true}) {
    acme db;
    uuid const eve = db.user("Eve", "org_member", admin);
    store::stored_token const presented = db.make(db.cli(eve, "laptop"));
    store::token_scope const scope{db.project, key ? std::optional(db.build) : std::nullopt};
    auto const set_role = [&](char const* out) {
      REQUIRE(db.wait(db.directory.set_project_role(db.project, eve, out, db.actor, db.soon())).outcome.has_value());
    };
    int made = 0;
    for (auto const& c : cases) {
      CAPTURE(c.name);
      CAPTURE(key);
      std::string const name = "t" + std::to_string(++made);
      uuid const owner = c.own ? eve : db.ed;
      store::stored_token const token = db.make(key ? db.key(owner, name) : db.cli(owner, name));
      if (c.change == edit_kind::enable)
        REQUIRE(db.wait(db.tokens.update(scope, token.id, {.enabled = false}, as(db.ada, role::org_owner), db.soon()))
                    .outcome.has_value());
      set_role(c.before);
      auto const needed = c.change == edit_kind::revoke ? permission::token_delete : permission::token_update;
      store::token_editor agent = as(eve, effective_role("org_member", c.before));
      agent.own_allowed = c.change == edit_kind::revoke || c.change == edit_kind::disable;
      agent.actor.permit = write_permit{presented.id, eve, db.epoch(eve), roles_with(needed), std::nullopt};
      set_role(viewer);  // the epoch differs in any case
      if (*c.now != '\0')
        set_role(c.now);
      else
        REQUIRE(db.wait(db.directory.remove_project_role(db.project, eve, db.actor, db.soon())).outcome.has_value());
      auto const epoch = db.epoch(token.subject());
      std::optional<errc> refused;
      try {
        store::token_edit edit;
        if (c.change == edit_kind::rename) edit.name = name + "-renamed";
        if (c.change == edit_kind::disable || c.change == edit_kind::enable)
          edit.enabled = c.change == edit_kind::enable;
        bool const done =
            c.change == edit_kind::revoke
                ? db.wait(db.tokens.revoke(scope, token.id, agent, db.soon())).outcome.has_value()
                : db.wait(db.tokens.update(scope, token.id, edit, agent, db.soon())).outcome.has_value();
        CHECK(done);
      } catch (write_refused const& write_refused) {
        refused = write_refused.code();
      }
      CHECK(refused == c.refused);
      CHECK((db.epoch(token.subject()) == epoch) == c.refused.has_value());
      static_cast<void>(db.wait(db.tokens.revoke(scope, token.id, as(db.ada, role::org_owner), db.soon())));
    }
  }
}

TEST_CASE("trigger keys: their own subject, limit, scope and end") {
  acme db;
  store::new_token wanted = db.key(db.ed, "pipeline");
  wanted.rate = window_limit{20, 2};
  store::stored_token const key = db.make(wanted);
  CHECK(key.rate == window_limit{20, 2});
  CHECK(db.epoch(key.id) > 0);
  store::token_scope const keys{db.project, db.build};

  auto const slower = db.wait(db.tokens.update(keys, key.id, {.rate = store::rate_edit{.limit = 5}},
                                               as(db.ed, role::project_editor), db.soon()));
  REQUIRE(slower.outcome.has_value());
  CHECK(slower.outcome->rate == window_limit{5, 2});
  CHECK(subjects_of(slower.touched) == std::vector<uuid>{key.id});
  auto const seen = db.read(wanted.digest);
  CHECK(seen.rate_limit == 5U);
  CHECK(seen.rate_window == 2U);
  auto const reset = db.wait(db.tokens.update(keys, key.id, {.rate = store::rate_edit{.reset = true}},
                                              as(db.ed, role::project_editor), db.soon()));
  CHECK_FALSE(reset.outcome->rate);

  CHECK(db.wait(db.tokens.list(keys, {}, db.soon()))->total == 1);
  CHECK(db.wait(db.tokens.list(shop_scope(db), {}, db.soon()))->total == 0);
  CHECK(db.wait(db.tokens.get(shop_scope(db), key.id, db.soon())).outcome.error().code == errc::not_found);
  auto const gone = db.wait(db.tokens.revoke(keys, key.id, as(db.ed, role::project_editor), db.soon()));
  CHECK(subjects_of(gone.touched) == std::vector<uuid>{key.id});
  CHECK(db.audit_rows("trigger_key.revoked") == 1);

  db.as_owner("UPDATE jobs SET deleted_at = now()");
  CHECK(db.wait(db.tokens.list(keys, {}, db.soon())).error().code == errc::not_found);
  CHECK(db.wait(db.tokens.create(db.key(db.ed, "late"), db.actor, db.soon())).outcome.error().code ==
        errc::not_found);
}

TEST_CASE("a creation is refused when its owner's standing changed since") {
  struct {
    char const* name;
    char const* change;
    errc expected;
  } const cases[] = {
      {"archived", "UPDATE projects SET archived_at = now()", errc::project_archived},
      {"no role", "DELETE FROM project_members", errc::owner_without_role},
      {"removed", "DELETE FROM organization_members", errc::owner_removed},
      {"banned", "UPDATE users SET disabled_at = now()", errc::owner_disabled},
  };
  acme db;
  for (auto const& c : cases) {
    CAPTURE(c.name);
    db.as_owner(c.change);
    auto const made = db.wait(db.tokens.create(db.cli(db.ed, "ci"), db.actor, db.soon()));
    REQUIRE_FALSE(made.outcome.has_value());
    CHECK(made.outcome.error().code == c.expected);
  }
  CHECK(db.number({{"none_test", "SELECT count(*) FROM tokens"}}) == 0);
}

TEST_CASE("pages of the list: oldest first, total exact, past the end empty") {
  acme db;
  for (int i = 0; i < 5; ++i) db.make(db.cli(db.ed, "t" + std::to_string(i)));
  struct {
    page_request wanted;
    std::vector<std::string> names;
  } const cases[] = {
      {{1, 20}, {"t0", "t1", "t2", "t3", "t4"}}, {{1, 2}, {"t0", "t1"}}, {{3, 2}, {"t4"}}, {{4, 2}, {}}};
  for (auto const& c : cases) {
    auto const found = db.wait(db.tokens.list(shop_scope(db), c.wanted, db.soon()));
    REQUIRE(found.has_value());
    CHECK(found->total == 5);
    std::vector<std::string> names;
    for (auto const& t : found->rows) names.push_back(t.name);
    CHECK(names == c.names);
  }
}
