// Tests every operation with every role. The expectations come from `x-permission` and the one role table.
#include "contract/contract_fixture.hpp"
#include "svc/domain/role.hpp"

#include <doctest/doctest.h>

#include <map>

namespace svc::test {
namespace {

constexpr role granted_roles[] = {role::project_viewer, role::project_editor, role::project_admin, role::org_admin,
                                  role::org_owner};

/// An allowed role learns that the header, or its value, is not accepted. Both are reported after the authorisation
/// and change nothing.
int status_with(contract_fixture& s, http::operation const& op, std::string const& token) {
  auto r = s.good(op);
  r.token = token;
  r.headers = {{"Idempotency-Key", "no such key"}};
  return s.send(r).status;
}

void check_roles(contract_fixture& s) {
  std::map<role, std::string> tokens;
  for (auto const which : granted_roles) {
    auto const user = s.make_user(s.main().project, std::string(to_string(which)));
    tokens[which] = s.make_token(s.main().project, user);
  }
  int checked = 0;
  for (auto const& op : s.contract().operations()) {
    auto const needed = parse_permission(op.permission);
    if (!needed) continue;
    for (auto const which : granted_roles) {
      CAPTURE(op.id);
      CAPTURE(to_string(which));
      CHECK(status_with(s, op, tokens[which]) == (allows(which, *needed) ? 400 : 403));
      ++checked;
    }
  }
  CHECK(checked > 100);
}

void check_test_token(contract_fixture& s) {
  auto const made = s.admin({"create-token", "--kind", "test", "--project", s.main().project, "--owner",
                             "demo@localhost", "--name", "of kind test"});
  std::string const token(made.at("key").as_string());
  CHECK(token.starts_with("svc_test_"));
  for (auto const& op : s.contract().operations()) {
    CAPTURE(op.id);
    CHECK(takes(op, "test") == takes(op, "cli"));
    if (takes(op, "test")) CHECK(status_with(s, op, token) == 400);
  }
}

constexpr role empowering_roles[] = {role::project_editor, role::project_admin, role::org_admin, role::org_owner};

struct member {
  std::string token;
  std::string credential{};  ///< path of a second token or of a key
};

member make_member(contract_fixture& s, role which, std::string const& collection) {
  auto const user = s.make_user(s.main().project, std::string(to_string(which)));
  member out{s.make_token(s.main().project, user)};
  auto const made = s.must(201, {"POST", collection, out.token, R"({"name":"of )" + user + R"("})"});
  auto const& shown = made.at(made.as_object().contains("token") ? "token" : "triggerKey");
  out.credential = collection + "/" + std::string(shown.at("id").as_string());
  return out;
}

void check_empowering(contract_fixture& s, std::string const& collection) {
  std::map<role, member> members;
  for (auto const which : empowering_roles) members[which] = make_member(s, which, collection);
  for (auto const owner : empowering_roles) {
    for (auto const agent : empowering_roles) {
      CAPTURE(to_string(owner));
      CAPTURE(to_string(agent));
      // The owner disables the credential, because one that an administrator disables for another user binds an
      // editor anyway.
      s.must(200, {"PATCH", members[owner].credential, members[owner].token, R"({"enabled":false})"});
      auto const asked = s.send({"PATCH", members[owner].credential, members[agent].token, R"({"enabled":true})"});
      CHECK(asked.status == (agent == owner || may_empower_credential(agent, owner) ? 200 : 403));
      s.must(200, {"PATCH", members[owner].credential, members[owner].token, R"({"enabled":true})"});
    }
  }
}

TEST_CASE("nobody enables a token or a key of an owner with a higher role") {
  contract_fixture s;
  check_empowering(s, "/api/cli-tokens");
  check_empowering(s, "/api/jobs/" + s.main().ids.at("jobs") + "/trigger-keys");
}

TEST_CASE("each role has exactly the permissions of the table, also with a test token") {
  contract_fixture s;
  check_roles(s);
  check_test_token(s);
}

}  // namespace
}  // namespace svc::test
