// Sessions in PostgreSQL: their records in each scope, how they start, change and end.
#include "../acme.hpp"

#include "svc/store/accounts/account_store.hpp"
#include "svc/store/accounts/session_store.hpp"
#include "svc/store/accounts/sign_in_store.hpp"

using namespace svc;
using namespace svc::test;

namespace {

struct accounts : acme {
  store::session_store sessions{pool};
  store::sign_in_store sign_ins{pool};
  store::account_store own{pool};

  sha256_digest link(uuid user, std::string kind = "first") {
    auto const minted = mint_link_secret();
    REQUIRE(
        wait(sign_ins.create_link(
                 {.user = user, .kind = kind, .digest = minted.digest, .life = std::chrono::hours(1)}, actor, soon()))
            .has_value());
    return minted.digest;
  }
  store::change<store::signed_in> open(uuid user, std::optional<sha256_digest> replaced = {}) {
    return wait(sign_ins.sign_in_by_link(link(user), std::nullopt,
                                         {.digest = mint_token(token_kind::session).digest,
                                          .method = "link",
                                          .replaced = replaced,
                                          .ip = "203.0.113.7"},
                                         soon()));
  }
  std::optional<token_record> session_record(sha256_digest const& digest, session_scope scope = {}) {
    auto const reading = wait(reader.read_sessions({{digest, scope}}, soon()));
    auto const found = reading.records.find(session_record_key({digest, scope}));
    return found == reading.records.end() ? std::nullopt : found->second;
  }
  token_state state(sha256_digest const& digest, session_scope scope = {}) {
    return session_record(digest, scope).value().state;
  }
  session_scope in_project(uuid id) { return {session_scope_kind::project, id}; }
  session_scope in_organization(uuid id) { return {session_scope_kind::organization, id}; }
  /// Signs the user in and returns the digest of the session's secret.
  sha256_digest signed_in(uuid user) {
    auto const minted = mint_token(token_kind::session);
    auto done =
        wait(sign_ins.sign_in_by_link(link(user), std::nullopt, {.digest = minted.digest, .method = "link"}, soon()));
    REQUIRE(done.outcome.has_value());
    return minted.digest;
  }
  uuid id_of(sha256_digest const& digest) {
    return must({{"session_id_test", "SELECT id FROM sessions WHERE digest = $1 OR previous_digest = $1"},
                 postgres::parameters(byte_view(digest))})
        .front()
        .id(0);
  }
  /// The actor of a request by the session, admitted under the user's epoch of now.
  audit_actor by(sha256_digest const& digest, uuid user) {
    auto const id = id_of(digest);
    return {.user = user,
            .name = "tester",
            .permit =
                write_permit{
                    .token = id, .subject = user, .epoch = epoch(user), .secret = digest, .session = session_place{}},
            .session = id};
  }
};

}  // namespace

TEST_CASE("a session has a record for each scope, and many are read at once") {
  accounts db;
  auto const ed = db.signed_in(db.ed), ada = db.signed_in(db.ada);
  auto const project = db.session_record(ed, db.in_project(db.project)).value();
  CHECK(project.state == token_state::usable);
  CHECK(project.caller.kind == token_kind::session);
  CHECK(project.caller.owner_id == db.ed);
  CHECK(project.caller.subject == db.ed);
  CHECK(project.caller.token_id == db.id_of(ed));
  CHECK(project.caller.token_name == "Ed");
  CHECK(project.caller.owner_role == role::project_editor);
  CHECK(project.caller.project_id == db.project);
  CHECK(project.caller.organization_id == db.organization);
  CHECK(project.caller.project_slug == "shop");
  CHECK(project.caller.epoch == db.epoch(db.ed));
  CHECK(project.caller.session->presented.digest == ed);
  CHECK(project.caller.session->method == "link");
  auto const organization = db.session_record(ed, db.in_organization(db.organization)).value();
  CHECK(organization.state == token_state::usable);
  CHECK(organization.caller.session->in_organization == organization_role::org_member);
  CHECK(organization.caller.project_id == uuid{});
  auto const account = db.session_record(ed).value();
  CHECK(account.state == token_state::usable);
  CHECK(account.caller.organization_id == uuid{});

  auto const unknown = sha256("nobody");
  std::vector<presented_session> const asked{{ed, {}},
                                             {ed, db.in_project(db.project)},
                                             {ada, db.in_project(db.project)},
                                             {ada, db.in_project(uuid::generate_v7())},
                                             {unknown, {}}};
  auto const reading = db.wait(db.reader.read_sessions(asked, db.soon()));
  CHECK(reading.records.size() == 4);
  CHECK_FALSE(reading.records.contains(session_record_key({unknown, {}})));
  CHECK(reading.records.at(session_record_key(asked[2]))->caller.owner_role == role::org_owner);
  CHECK(reading.records.at(session_record_key(asked[3]))->state == token_state::project_not_found);
}

TEST_CASE("each reason why a session may not be used, in its scope") {
  accounts db;
  auto const other = *db.wait(db.directory.create_organization("other", "Other", db.actor, db.soon()));
  auto const foreign = *db.wait(db.directory.create_project(other, "theirs", "Theirs", db.actor, db.soon()));
  auto const second = *db.wait(db.directory.create_project(db.organization, "second", "Second", db.actor, db.soon()));
  auto const ed = db.signed_in(db.ed);
  auto const shop = db.in_project(db.project);
  CHECK(db.state(ed, db.in_project(foreign)) == token_state::project_not_found);
  CHECK(db.state(ed, db.in_project(second)) == token_state::project_not_found);
  CHECK(db.state(ed, db.in_organization(other)) == token_state::organization_not_found);
  CHECK(db.state(ed, db.in_organization(uuid::generate_v7())) == token_state::organization_not_found);
  CHECK(db.state(ed, shop) == token_state::usable);

  db.must({{"policy_set_test", R"(UPDATE organizations SET sign_in_policy = '{"signIn": "oidc"}')"}});
  CHECK(db.state(ed, shop) == token_state::policy_not_met);
  CHECK(db.state(ed, db.in_organization(db.organization)) == token_state::policy_not_met);
  CHECK(db.state(ed) == token_state::usable);
  db.must({{"policy_unset_test", "UPDATE organizations SET sign_in_policy = NULL"}});

  // Everybody with a role is bumped, also without any token.
  auto const before = db.epochs();
  auto const archived = db.wait(db.directory.set_archived(db.project, true, db.actor, db.soon()));
  CHECK(db.state(ed, shop) == token_state::project_not_found);
  for (auto const& user : {db.ada, db.ed, db.vi}) {
    CHECK(db.epoch(user) > before.at(user));
    CHECK(std::ranges::count(subjects_of(archived.touched), user) == 1);
  }
  REQUIRE(db.wait(db.directory.set_archived(db.project, false, db.actor, db.soon())).outcome.has_value());

  db.must({{"idle_test", "UPDATE sessions SET last_seen_at = clock_timestamp() - interval '12 hours 1 second'"}});
  CHECK(db.state(ed) == token_state::session_expired);
  db.must({{"active_test", "UPDATE sessions SET last_seen_at = clock_timestamp() - interval '11 hours 59 minutes'"}});
  CHECK(db.state(ed) == token_state::usable);

  REQUIRE(db.wait(db.directory.set_banned(db.ed, true, db.actor, db.soon())).outcome.has_value());
  CHECK(db.state(ed) == token_state::owner_disabled);
  CHECK(db.state(ed, shop) == token_state::owner_disabled);
  REQUIRE(db.wait(db.directory.set_banned(db.ed, false, db.actor, db.soon())).outcome.has_value());

  auto const fresh = mint_token(token_kind::session).digest;
  auto const refreshed = db.wait(
      db.sessions.refresh(db.id_of(ed), {.digest = fresh, .method = "password"}, db.by(ed, db.ed), db.soon()));
  REQUIRE(refreshed.outcome.has_value());
  CHECK(subjects_of(refreshed.touched) == std::vector{db.ed});
  CHECK(db.state(ed, shop) == token_state::session_rotated);
  CHECK(db.state(fresh, shop) == token_state::usable);
  CHECK(db.session_record(fresh)->caller.session->method == "password");

  auto const ended = db.wait(db.sessions.end(db.ed, db.id_of(fresh), "sign_out", db.by(fresh, db.ed), db.soon()));
  REQUIRE(ended.outcome.has_value());
  CHECK(db.state(fresh) == token_state::session_ended);
  CHECK(db.state(ed) == token_state::session_ended);
  CHECK(db.audit_rows("session.ended") == 1);
  CHECK(db.audit_rows("session.refreshed") == 1);
}

TEST_CASE("a sign-in by link spends it, verifies nothing that was not mailed, and bumps the user") {
  accounts db;
  auto const secret = db.link(db.ed);
  CHECK(db.wait(db.sign_ins.preview_link(secret, db.soon()))->name == "Ed");
  CHECK(db.wait(db.sign_ins.preview_link(secret, db.soon()))->sets_password);
  auto const before = db.epoch(db.ed);
  auto const minted = mint_token(token_kind::session).digest;
  auto const done =
      db.wait(db.sign_ins.sign_in_by_link(secret, std::nullopt, {.digest = minted, .method = "link"}, db.soon()));
  REQUIRE(done.outcome.has_value());
  CHECK(done.outcome->email == "Ed@acme.test");
  CHECK(subjects_of(done.touched) == std::vector{db.ed});
  CHECK(db.epoch(db.ed) > before);
  CHECK(done.outcome->expires_at.micros - done.outcome->created_at.micros >= 167LL * 3600 * 1'000'000);
  CHECK(db.number({{"unverified_test", "SELECT count(*) FROM users WHERE email_verified_at IS NOT NULL"}}) == 0);
  for (char const* action : {"link.created", "link.used", "session.created"}) CHECK(db.audit_rows(action) == 1);
  CHECK(db.number({{"session_actor_test",
                    "SELECT count(*) FROM audit_log a JOIN sessions s ON s.id = a.actor_session_id"
                    " WHERE a.action IN ('link.used', 'session.created') AND a.actor_id = s.user_id"}}) == 2);

  auto const code = [&](sha256_digest const& link) {
    return db
        .wait(db.sign_ins.sign_in_by_link(link, std::nullopt, {.digest = sha256("x"), .method = "link"}, db.soon()))
        .outcome.error()
        .code;
  };
  CHECK(code(secret) == errc::link_over);
  CHECK(code(sha256("unknown")) == errc::link_over);
  CHECK(db.wait(db.sign_ins.preview_link(secret, db.soon())).error().code == errc::link_over);
  auto const expired = db.link(db.ed);
  db.must({{"expire_links_test", "UPDATE links SET expires_at = clock_timestamp()"}});
  CHECK(code(expired) == errc::link_over);
  auto const of_banned = db.link(db.vi);
  REQUIRE(db.wait(db.directory.set_banned(db.vi, true, db.actor, db.soon())).outcome.has_value());
  CHECK(code(of_banned) == errc::link_over);

  auto const dev = db.link(db.ada, "dev");
  for (int i = 0; i < 2; ++i)
    CHECK(db
              .wait(db.sign_ins.sign_in_by_link(
                  dev, std::nullopt, {.digest = mint_token(token_kind::session).digest, .method = "link"}, db.soon()))
              .outcome.has_value());
}

TEST_CASE("a password that is set ends the other open links of the account, and the audit trail counts them") {
  accounts db;
  auto const details = [&] {
    return std::string(db.must({{"password_details_test",
                                 "SELECT details::text FROM audit_log WHERE action = 'password.set'"
                                 " ORDER BY id DESC LIMIT 1"}})
                           .front()
                           .text(0));
  };
  auto const is_open = [&](sha256_digest const& link) {
    return db.wait(db.sign_ins.preview_link(link, db.soon())).has_value();
  };
  auto const session = db.signed_in(db.ed);
  auto const first = db.link(db.ed), recovery = db.link(db.ed, "recovery"), dev = db.link(db.ed, "dev");
  auto const of_vi = db.link(db.vi);
  REQUIRE(db.wait(db.sign_ins.set_password(db.ed, "$hash", db.by(session, db.ed), db.soon())).outcome.has_value());
  CHECK_FALSE(is_open(first));
  CHECK_FALSE(is_open(recovery));
  CHECK(is_open(dev));
  CHECK(is_open(of_vi));
  CHECK(details() == R"({"linksEnded": 2})");

  auto const used = db.link(db.ed, "recovery"), stolen = db.link(db.ed);
  auto const recover = [&](std::optional<std::string> const& hash, sha256_digest const& link) {
    return db.wait(db.sign_ins.sign_in_by_link(
        link, hash, {.digest = mint_token(token_kind::session).digest, .method = "link"}, db.soon()));
  };
  REQUIRE(recover("$new", used).outcome.has_value());
  CHECK(recover("$thief", stolen).outcome.error().code == errc::link_over);
  CHECK(details() == R"({"linksEnded": 1})");
  // A sign-in by link that sets no password ends no link.
  auto const plain = db.link(db.ed), other = db.link(db.ed);
  REQUIRE(recover(std::nullopt, plain).outcome.has_value());
  CHECK(is_open(other));
}

TEST_CASE(
    "a password that is set ends all other sessions, and none can be set where a provider manages the account") {
  accounts db;
  auto const first = db.signed_in(db.ed), second = db.signed_in(db.ed);
  auto const set = db.wait(db.sign_ins.set_password(db.ed, "$hash", db.by(second, db.ed), db.soon()));
  REQUIRE(set.outcome.has_value());
  CHECK(*set.outcome == std::vector{db.id_of(first)});
  CHECK(db.state(first) == token_state::session_ended);
  CHECK(db.state(second) == token_state::usable);
  CHECK(db.wait(db.sign_ins.find_password("ed@acme.test", db.soon()))->hash == "$hash");
  // Callers normalise the address, so that each spelling counts in one window.
  CHECK_FALSE(db.wait(db.sign_ins.find_password("ED@acme.test", db.soon())));

  // By a link everything else ends, the browser's own session as well.
  auto const minted = mint_token(token_kind::session).digest;
  auto const recovered = db.wait(db.sign_ins.sign_in_by_link(
      db.link(db.ed, "recovery"), "$new", {.digest = minted, .method = "link", .replaced = second}, db.soon()));
  REQUIRE(recovered.outcome.has_value());
  CHECK(recovered.outcome->ended.size() == 1);
  CHECK(db.state(second) == token_state::session_ended);
  CHECK(db.state(minted) == token_state::usable);

  // A mailed link of recovery always sets one, and is not spent without it.
  auto const mailed = db.link(db.ed, "recovery");
  db.must(
      {{"mailed_test", "DELETE FROM one_time_secrets WHERE digest = $1"}, postgres::parameters(byte_view(mailed))});
  db.must({{"mailed_again_test",
            "INSERT INTO one_time_secrets (digest, link_id, mailed)"
            " SELECT $1, l.id, true FROM links l ORDER BY l.id DESC LIMIT 1"},
           postgres::parameters(byte_view(mailed))});
  auto const by_mail = [&](std::optional<std::string> const& hash) {
    return db.wait(db.sign_ins.sign_in_by_link(
        mailed, hash, {.digest = mint_token(token_kind::session).digest, .method = "link"}, db.soon()));
  };
  CHECK(by_mail(std::nullopt).outcome.error().code == errc::validation_failed);
  CHECK(db.state(minted) == token_state::usable);
  CHECK(by_mail("$new").outcome.has_value());
  CHECK(db.state(minted) == token_state::session_ended);

  auto const by_password = [&](std::string const& hash) {
    return db.wait(db.sign_ins.sign_in_by_password(
        db.ed, hash, std::nullopt, {.digest = mint_token(token_kind::session).digest, .method = "password"},
        db.soon()));
  };
  CHECK(by_password("$new").outcome.has_value());
  CHECK(by_password("$hash").outcome.error().code == errc::sign_in_failed);
  db.must(
      {{"identity_test",
        "INSERT INTO identities (user_id, provider, issuer, subject, email) VALUES ($1, 'p', 'i', 's', 'ed@x.test')"},
       postgres::parameters(db.ed)});
  CHECK(by_password("$new").outcome.error().code == errc::sign_in_failed);
  CHECK(db.wait(db.sign_ins.set_password(db.ed, "$x", db.by(minted, db.ed), db.soon())).outcome.error().code ==
        errc::sign_in_refused);
  CHECK(
      db.wait(db.sign_ins.sign_in_by_link(db.link(db.ed), "$x", {.digest = sha256("y"), .method = "link"}, db.soon()))
          .outcome.error()
          .code == errc::sign_in_refused);
}

TEST_CASE("a reset ends everything by which a user can act, and keeps the roles") {
  accounts db;
  auto const session = db.signed_in(db.ed);
  auto const token = db.cli(db.ed, "cli"), key = db.key(db.ed, "key"), of_ada = db.cli(db.ada, "other");
  auto const stored_key = db.make(key);
  db.make(token);
  db.make(of_ada);
  REQUIRE(db.wait(db.sign_ins.set_password(db.ed, "$hash", db.by(session, db.ed), db.soon())).outcome.has_value());
  auto const open = db.link(db.ed);
  auto const done = db.wait(db.sign_ins.reset(db.ed, db.actor, db.soon()));
  REQUIRE(done.outcome.has_value());
  CHECK(done.outcome->password);
  CHECK(done.outcome->sessions == 1);
  CHECK(done.outcome->tokens == 2);
  CHECK(db.state(session) == token_state::session_ended);
  CHECK(db.read(token.digest).state == token_state::revoked);
  CHECK(db.read(key.digest).state == token_state::revoked);
  CHECK(db.read(of_ada.digest).state == token_state::usable);
  auto touched = subjects_of(done.touched), expected = std::vector{db.ed, stored_key.id};
  std::ranges::sort(touched);
  std::ranges::sort(expected);
  CHECK(touched == expected);
  CHECK(db.wait(db.sign_ins.preview_link(open, db.soon())).error().code == errc::link_over);
  CHECK_FALSE(db.wait(db.sign_ins.has_method(db.ed, db.soon())));
  CHECK(db.wait(db.sign_ins.reset(uuid::generate_v7(), db.actor, db.soon())).outcome.error().code == errc::not_found);
}

TEST_CASE("the last use of sessions is written in one statement, never decreases, and ended ones stay as they are") {
  accounts db;
  auto const ed = db.signed_in(db.ed), vi = db.signed_in(db.vi);
  auto const seen = [&](sha256_digest const& digest) {
    return db
        .must({{"seen_test", "SELECT last_seen_at FROM sessions WHERE digest = $1"},
               postgres::parameters(byte_view(digest))})
        .front()
        .time(0);
  };
  auto const later = timestamp{seen(ed).micros + 5'000'000};
  db.wait(db.sessions.write({{db.id_of(ed), later, "203.0.113.9"}, {db.id_of(vi), {1}, "x"}}, db.soon()));
  CHECK(seen(ed) == later);
  CHECK(seen(vi).micros > 1);
  REQUIRE(db.wait(db.sessions.end_all(db.ed, std::nullopt, "ended", db.actor, db.soon())).outcome.has_value());
  db.wait(db.sessions.write({{db.id_of(ed), {later.micros + 1}, ""}}, db.soon()));
  CHECK(seen(ed) == later);
  CHECK(db.wait(db.sessions.list(db.ed, db.soon())).empty());
  CHECK(db.wait(db.sessions.list(db.vi, db.soon())).size() == 1);
}

TEST_CASE("changes by a session that has ended in the meantime write nothing") {
  accounts db;
  auto const ed = db.signed_in(db.ed);
  auto const late = db.by(ed, db.ed);
  REQUIRE(db.wait(db.sessions.end_all(db.ed, std::nullopt, "ended", db.actor, db.soon())).outcome.has_value());
  auto const refused = [&](auto&& change) {
    try {
      static_cast<void>(db.wait(change()));
    } catch (write_refused const& gone) {
      return gone.code();
    }
    return errc::internal_error;
  };
  CHECK(refused([&] { return db.sign_ins.set_password(db.ed, "$x", late, db.soon()); }) == errc::session_ended);
  CHECK(refused([&] { return db.sessions.end(db.ed, *late.session, "sign_out", late, db.soon()); }) ==
        errc::session_ended);
  CHECK(db.number({{"no_password_test", "SELECT count(*) FROM passwords"}}) == 0);
}
