// Tests every operation with every kind of credential of every role, on resources of its own project, of another
// project and of another organisation. The expectations follow from the contract and the one role table.
#include "contract/contract_fixture.hpp"
#include "svc/domain/role.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace svc::test {
namespace {

constexpr role every_role[] = {role::none,          role::project_viewer, role::project_editor,
                               role::project_admin, role::org_admin,      role::org_owner};

struct credential {
  std::string name, secret;
  std::string kind;  ///< as in x-token-kinds; empty: no valid one
  role owner = role::none;
  bool own_job = true;
};

/// Returns the permission that the handler requires if the contract leaves it to the owner of the resource.
std::optional<permission> needed_for(http::operation const& op) {
  if (auto const declared = parse_permission(op.permission)) return declared;
  if (op.method == "PATCH") return permission::token_update;
  if (op.method == "DELETE") return permission::token_delete;
  return std::nullopt;
}

/// Every user may disable and revoke their own credentials, so the handler looks up the resource first.
bool decided_by_handler(http::operation const& op) {
  return op.permission.empty() && needed_for(op).has_value();
}

/// 200 means that the request gets as far as the look-up of its resource.
int expected(http::operation const& op, credential const& credential, bool own_resource) {
  if (op.token_kinds.empty()) return 200;
  if (credential.kind.empty() || credential.owner == role::none || !takes(op, credential.kind)) return 401;
  if (credential.kind == "trigger" && (!credential.own_job || !own_resource)) return 401;
  auto const needed = needed_for(op);
  return !needed || allows(credential.owner, *needed) ? 200 : 403;
}

/// A job holds ten keys, so the test deletes the keys of a role before it creates those of the next role.
struct key {
  std::string job, id, secret;
};

key key_of(contract_fixture& s, std::string const& job, std::string const& owner, std::string const& name) {
  auto const made = s.admin({"create-trigger-key", "--job", job, "--owner", owner, "--name", name});
  return {job, std::string(made.at("id").as_string()), std::string(made.at("key").as_string())};
}

/// Creates a key in the form that older systems issued.
key legacy_key_of(contract_fixture& s, std::string const& job, std::string const& owner, std::string const& name) {
  auto made = key_of(s, job, owner, name);
  made.secret = "job_" + made.id;
  std::erase(made.secret, '-');
  s.sql().run("UPDATE tokens SET kind = 'legacy_trigger' WHERE id = $1", {made.id});
  s.sql().run("UPDATE token_secrets SET digest = sha256($2::text::bytea) WHERE token_id = $1::uuid",
              {made.id, made.secret});
  return made;
}

struct crew {
  std::vector<credential> all{};
  std::vector<key> keys{};
};

/// Returns every kind of credential, all of one owner with this role.
crew crew_of(contract_fixture& s, role which, std::string const& other_job) {
  auto const& tenant = s.main();
  auto const& job = tenant.ids.at("jobs");
  std::string const label(to_string(which));
  bool const nobody = which == role::none;
  auto const user = s.make_user(tenant.project, nobody ? "project_viewer" : label);
  auto const test = s.admin(
      {"create-token", "--kind", "test", "--project", tenant.project, "--owner", user, "--name", "t " + label});
  crew out;
  out.keys = {key_of(s, job, user, label), key_of(s, other_job, user, label),
              legacy_key_of(s, job, user, "old " + label)};
  out.all = {{label + " svc_live", s.make_token(tenant.project, user), "cli", which},
             {label + " svc_test", std::string(test.at("key").as_string()), "test", which},
             {label + " svc_trigger", out.keys[0].secret, "trigger", which},
             {label + " svc_trigger of another job", out.keys[1].secret, "trigger", which, false},
             {label + " job_", out.keys[2].secret, "trigger", which}};
  if (nobody) s.admin({"remove-member", "--project", tenant.project, "--user", user});
  return out;
}

/// Returns the answer without the parts that differ from request to request.
std::string lasting(support::answer const& answer) {
  std::string out = std::to_string(answer.status) + "\n";
  for (auto const& [name, value] : answer.headers) {
    bool const changes = name == "date" || name == "x-request-id" || name == "ratelimit" ||
                         name == "ratelimit-policy" || name.starts_with("x-ratelimit-");
    out += name + ": " + (changes ? "" : value) + "\n";
  }
  auto body = answer.body;
  auto const id = answer.header("x-request-id").value_or("");
  for (auto position = body.find(id); !id.empty() && position != body.npos; position = body.find(id))
    body.replace(position, id.size(), "");
  return out + body;
}

/// Sends a request that changes nothing. After the authorisation every request learns that this header, or its value,
/// is not accepted. If the handler authorises, it reports the other version only after that.
int status_here(contract_fixture& s, http::operation const& op, credential const& credential) {
  auto r = s.good(op);
  r.token = credential.secret;
  if (op.token_kinds.empty()) return s.send(r).status;
  bool const in_handler = decided_by_handler(op);
  r.headers = {in_handler ? std::pair{"If-Match", "\"0-0\""} : std::pair{"Idempotency-Key", "no such key"}};
  auto const status = s.send(r).status;
  return status == (in_handler ? 412 : 400) ? 200 : status;
}

support::answer ask(contract_fixture& s, http::operation const& op, credential const& credential,
                    std::map<std::string, std::string> const& ids) {
  auto r = s.good(op);
  r.target = path_of(op, ids);
  r.token = credential.secret;
  return s.send(r);
}

/// Checks that an answer does not reveal if another project's resource exists.
int check_elsewhere(contract_fixture& s, http::operation const& op, credential const& credential,
                    std::vector<contract_tenant> const& others) {
  int checked = 0;
  // The path of a public operation contains the credential.
  if (op.token_kinds.empty()) return checked;
  for (auto const& [kind, own] : s.main().ids) {
    if (op.path.find("/" + kind + "/{") == std::string::npos) continue;
    auto ids = s.main().ids;
    ids[kind] = nowhere;
    auto const unknown = ask(s, op, credential, ids);
    auto const status = expected(op, credential, kind != "jobs");
    bool const looked_for = status == 200 || (status == 403 && decided_by_handler(op));
    CHECK(unknown.status == (looked_for ? 404 : status));
    for (auto const& other : others) {
      ids[kind] = other.ids.at(kind);
      CHECK(lasting(ask(s, op, credential, ids)) == lasting(unknown));
      ++checked;
    }
  }
  return checked;
}

/// A list shows only its own project's resources.
void check_rows(contract_fixture& s, http::operation const& op, std::vector<contract_tenant> const& others) {
  if (op.method != "GET" || op.token_kinds.empty() || op.path.find('{') != std::string::npos) return;
  auto const body = s.send(s.good(op)).body;
  for (auto const& other : others)
    for (auto const& [kind, id] : other.ids) CHECK(body.find(id) == body.npos);
}

/// Checks every operation; every credential requests it here and elsewhere.
int check_all(contract_fixture& s, std::vector<credential> const& all, std::vector<contract_tenant> const& others) {
  int cells = 0;
  for (auto const& op : s.contract().operations()) {
    CAPTURE(op.id);
    for (auto const& credential : all) {
      CAPTURE(credential.name);
      CHECK(status_here(s, op, credential) == expected(op, credential, true));
      cells += 1 + check_elsewhere(s, op, credential, others);
    }
  }
  return cells;
}

TEST_CASE("the matrix: operation, credential, role and place; the contract says the result") {
  contract_fixture s;
  s.admin({"create-organization", "--slug", "foreign", "--name", "Foreign"});
  s.admin({"create-user", "--email", "far@example.org", "--name", "Far"});
  s.admin({"add-member", "--organization", "foreign", "--user", "far@example.org", "--role", "org_owner"});
  std::vector<contract_tenant> const others{s.make_tenant(), s.make_tenant("foreign", "far@example.org")};
  auto const job = s.must(201, {"POST", "/api/jobs", s.main().token, R"({"name":"another"})"});
  std::string const other_job(job.at("id").as_string());
  for (auto const& op : s.contract().operations()) check_rows(s, op, others);
  int cells = check_all(s, {{"nothing", "", ""}, {"garbage", "svc_live_garbage", ""}}, others);
  for (auto const which : every_role) {
    auto const crew = crew_of(s, which, other_job);
    cells += check_all(s, crew.all, others);
    for (auto const& key : crew.keys)
      s.must(204, {"DELETE", "/api/jobs/" + key.job + "/trigger-keys/" + key.id, s.main().token});
  }
  MESSAGE(cells << " answers as the contract says");
  CHECK(cells > 1000);
}

}  // namespace
}  // namespace svc::test
