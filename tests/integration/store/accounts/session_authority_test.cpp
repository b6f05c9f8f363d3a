// Writes by sessions: the database itself refuses them once the session has lost its right (schema V064).
#include "../acme.hpp"

#include "store/sql/settled.hpp"

using namespace svc;
using namespace svc::test;

namespace {

/// A project of Acme with a session of each of its members.
struct session_fixture : acme {
  uuid session_of(uuid user, std::string const& secret, std::string const& method = "password") {
    auto const id = uuid::generate_v7();
    must({{"authority_session_test",
           "INSERT INTO sessions (id, user_id, digest, method, expires_at)"
           " VALUES ($1, $2, sha256(convert_to($3, 'UTF8')), $4, clock_timestamp() + interval '1 hour')"},
          postgres::parameters(id, user, secret, method)});
    return id;
  }
  std::string refusal(uuid session, std::optional<uuid> in_project, std::optional<uuid> in_organization,
                      std::string const& roles, std::string const& secret) {
    auto const found = must({{"authority_refusal_test",
                              "SELECT session_refusal($1, $2, $3, string_to_array($4, ','),"
                              " sha256(convert_to($5, 'UTF8')))"},
                             postgres::parameters(session, in_project, in_organization, roles, secret)});
    return std::string(found.front().maybe_text(0).value_or("may write"));
  }
};

constexpr char const* editors = "project_editor,project_admin,org_admin,org_owner";

}  // namespace

TEST_CASE("a writer that is no token, such as a session, may not write") {
  session_fixture db;
  auto const session = db.session_of(db.ada, "secret");
  for (auto const& writer : {session, uuid::generate_v7()}) {
    auto const late = db.must({{"authority_late_test", "SELECT late_writer_refusal($1, ARRAY['org_owner'], '\\x00')"},
                               postgres::parameters(writer)});
    CHECK(late.front().text(0) == "token_revoked");
    constexpr postgres::statement calls[] = {
        {"authority_assert_earlier_test", "SELECT assert_writer($1, $2, 0, ARRAY['org_owner'])"},
        {"authority_assert_test", "SELECT assert_writer($1, $2, 0, ARRAY['org_owner'], '\\x00')"}};
    for (auto const& call : calls) {
      auto const done = db.run({call, postgres::parameters(writer, db.ada)});
      REQUIRE(done.has_error());
      CHECK(done.error().sqlstate == store::writer_refused);
      CHECK(done.error().message == "token_revoked");
    }
  }
  // The operator has no writer.
  CHECK(db.run({{"authority_operator_test", "SELECT assert_writer(NULL, NULL, NULL, '{}', NULL)"}}).has_value());
}

TEST_CASE("each way to lose the right refuses the writes of a session") {
  session_fixture db;
  auto const ada = db.session_of(db.ada, "a"), ed = db.session_of(db.ed, "e"), vi = db.session_of(db.vi, "v");
  auto const other = *db.wait(db.directory.create_organization("other", "Other", db.actor, db.soon()));
  auto const others = *db.wait(db.directory.create_project(other, "theirs", "Theirs", db.actor, db.soon()));
  CHECK(db.refusal(ed, db.project, db.organization, editors, "e") == "may write");
  CHECK(db.refusal(ed, {}, db.organization, "org_member,org_admin,org_owner", "e") == "may write");
  CHECK(db.refusal(ed, {}, {}, "", "e") == "may write");
  CHECK(db.refusal(uuid::generate_v7(), db.project, db.organization, editors, "e") == "session_invalid");
  CHECK(db.refusal(ed, db.project, db.organization, editors, "a") == "session_invalid");
  CHECK(db.refusal(vi, db.project, db.organization, editors, "v") == "permission_denied");
  CHECK(db.refusal(ed, {}, db.organization, "org_admin,org_owner", "e") == "permission_denied");
  CHECK(db.refusal(ed, others, other, editors, "e") == "project_not_found");
  CHECK(db.refusal(ed, others, db.organization, editors, "e") == "project_not_found");
  CHECK(db.refusal(ed, {}, other, "org_member", "e") == "not_found");

  struct {
    char const* name;
    char const* change;
    char const* refusal;
    bool own_account;  ///< refused in the user's own account as well
  } const cases[] = {
      {"sign-out", "UPDATE sessions SET ended_at = now(), ended_reason = 'sign_out'", "session_ended", true},
      {"age", "UPDATE sessions SET expires_at = clock_timestamp()", "session_expired", true},
      {"fresh sign-in", "UPDATE sessions SET previous_digest = digest, digest = sha256(digest)", "session_rotated",
       true},
      {"ban", "UPDATE users SET disabled_at = now()", "owner_disabled", true},
      {"archive", "UPDATE projects SET archived_at = now()", "project_not_found", false},
      {"role", "DELETE FROM project_members", "project_not_found", false},
      {"membership", "DELETE FROM organization_members", "project_not_found", false},
      {"policy", R"(UPDATE organizations SET sign_in_policy = '{"signIn": "oidc", "providers": []}')",
       "policy_not_met", false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    db.as_owner(
        "CREATE TABLE kept_sessions AS TABLE sessions; CREATE TABLE kept_roles AS TABLE project_members;"
        "CREATE TABLE kept_members AS TABLE organization_members");
    db.as_owner(c.change);
    CHECK(db.refusal(ed, db.project, db.organization, editors, "e") == c.refusal);
    CHECK(db.refusal(ed, {}, {}, "", "e") == (c.own_account ? c.refusal : "may write"));
    db.as_owner(
        "DELETE FROM sessions; INSERT INTO sessions TABLE kept_sessions;"
        "DELETE FROM project_members; INSERT INTO project_members TABLE kept_roles;"
        "DELETE FROM organization_members; INSERT INTO organization_members TABLE kept_members;"
        "UPDATE users SET disabled_at = NULL; UPDATE projects SET archived_at = NULL;"
        "UPDATE organizations SET sign_in_policy = NULL;"
        "DROP TABLE kept_sessions, kept_roles, kept_members");
  }
  CHECK(db.refusal(ada, db.project, db.organization, editors, "a") == "may write");
}

TEST_CASE("a policy admits sessions of the named providers, and every session if it names none") {
  migrated_database db;
  struct {
    char const* policy;
    char const* method;
    char const* provider;
    bool met;
  } const cases[] = {
      {"null", "password", "", true},
      {R"({"signIn": "any", "providers": ["a"]})", "password", "", true},
      {R"({"signIn": "oidc"})", "password", "", false},
      {R"({"signIn": "oidc"})", "link", "", false},
      {R"({"signIn": "oidc"})", "oidc", "a", true},
      {R"({"signIn": "oidc", "providers": []})", "oidc", "a", true},
      {R"({"signIn": "oidc", "providers": ["b"]})", "oidc", "a", false},
      {R"({"signIn": "oidc", "providers": ["b", "a"]})", "oidc", "a", true},
      {R"({"signIn": "oidc", "providers": ["a"]})", "password", "a", false},
      {R"({"signIn": "oidc", "providers": ["a"]})", "oidc", "", false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.policy);
    CAPTURE(c.method);
    auto const met = db.must({{"authority_policy_test", "SELECT policy_met($1::jsonb, $2, nullif($3, ''))"},
                              postgres::parameters(c.policy, c.method, c.provider)});
    CHECK(met.front().boolean(0) == c.met);
  }
}

TEST_CASE("a change by a session needs the epoch of its admission, or the right at its commit") {
  session_fixture db;
  auto const ed = db.session_of(db.ed, "e");
  auto const write = [&](std::int64_t epoch, std::string const& secret) {
    return db.run(
        {{"authority_write_test",
          "SELECT assert_session($1, $2, $3, $4, $5, string_to_array($6, ','), sha256(convert_to($7, 'UTF8')))"},
         postgres::parameters(ed, db.ed, epoch, db.project, db.organization, std::string(editors), secret)});
  };
  CHECK(write(db.epoch(db.ed), "e").has_value());
  CHECK(write(0, "e").has_value());
  db.must({{"authority_out_test", "UPDATE sessions SET ended_at = now(), ended_reason = 'sign_out'"}});
  auto const refused = write(0, "e");
  REQUIRE(refused.has_error());
  CHECK(refused.error().sqlstate == store::writer_refused);
  CHECK(refused.error().message == "session_ended");

  auto const late = db.must({{"authority_late_session_test",
                              "SELECT late_session_refusal($1, $2::uuid, $3::uuid, ARRAY['project_editor'], '\\x00'),"
                              "       late_session_refusal($1, NULL, NULL, '{}', '\\x00')"},
                             postgres::parameters(ed, db.project, db.organization)});
  CHECK(late.front().text(0) == "session_ended");
  CHECK(late.front().text(1) == "project_not_found");
}

TEST_CASE("a user's events outside of organizations are found by an index of every partition") {
  acme db;
  auto const found = db.must(
      {{"authority_index_test", "SELECT indisvalid FROM pg_index WHERE indexrelid = 'audit_log_of_user'::regclass"}});
  CHECK(found.front().boolean(0));
  CHECK(db.number({{"authority_partitions_test",
                    "SELECT count(*) FROM pg_inherits p WHERE p.inhparent = 'audit_log'::regclass AND NOT EXISTS ("
                    " SELECT FROM pg_index i JOIN pg_inherits a ON a.inhrelid = i.indexrelid"
                    "  WHERE i.indrelid = p.inhrelid AND a.inhparent = 'audit_log_of_user'::regclass"
                    "    AND i.indisvalid)"}}) == 0);
}
