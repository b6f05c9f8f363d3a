// Everything that ends with 401, two Authorization headers, and a role without permission.
#include "contract/provoker.hpp"
#include "svc/domain/token.hpp"

namespace svc::test {
namespace {

namespace json = boost::json;

/// A CLI token and a trigger key of one owner, never used, in a separate place.
struct credentials_of_owner {
  contract_tenant where;
  std::string owner;
  std::string token, token_id;
  std::string key, key_id;
};

credentials_of_owner make_credentials(contract_fixture& s) {
  credentials_of_owner out;
  out.where = s.make_tenant();
  out.owner = s.make_user(out.where.project, "project_admin");
  auto const token =
      s.admin({"create-token", "--project", out.where.project, "--owner", out.owner, "--name", "spoilt"});
  auto const key =
      s.admin({"create-trigger-key", "--job", out.where.ids.at("jobs"), "--owner", out.owner, "--name", "spoilt"});
  out.token = token.at("key").as_string();
  out.token_id = token.at("id").as_string();
  out.key = key.at("key").as_string();
  out.key_id = key.at("id").as_string();
  return out;
}

void change(contract_fixture& s, credentials_of_owner const& owner, unsigned status, std::string const& method,
            std::string const& body) {
  auto const key = "/api/jobs/" + owner.where.ids.at("jobs") + "/trigger-keys/" + owner.key_id;
  s.must(status, {method, "/api/cli-tokens/" + owner.token_id, owner.where.token, body});
  s.must(status, {method, key, owner.where.token, body});
}

struct spoiling {
  std::string code;
  void (*spoil)(contract_fixture&, credentials_of_owner const&);
};

spoiling const ways[] = {
    {"token_disabled",
     [](contract_fixture& s, credentials_of_owner const& c) { change(s, c, 200, "PATCH", R"({"enabled":false})"); }},
    {"token_revoked", [](contract_fixture& s, credentials_of_owner const& c) { change(s, c, 204, "DELETE", ""); }},
    {"token_expired",
     [](contract_fixture& s, credentials_of_owner const& c) {
       // Nobody has read them yet, so no cached record is outdated.
       s.sql().run("UPDATE tokens SET expires_at = clock_timestamp() WHERE id IN ($1, $2)", {c.token_id, c.key_id});
     }},
    {"secret_rotated",
     [](contract_fixture& s, credentials_of_owner const& c) {
       auto const end = [&](std::string const& text) {
         s.must(201, {"POST", text + "/rotate", c.token, R"({"graceSeconds":0})"});
       };
       // The token last: it ends itself.
       end("/api/jobs/" + c.where.ids.at("jobs") + "/trigger-keys/" + c.key_id);
       end("/api/cli-tokens/" + c.token_id);
     }},
    {"owner_removed",
     [](contract_fixture& s, credentials_of_owner const& c) {
       s.admin({"remove-member", "--organization", "demo", "--user", c.owner});
     }},
    {"owner_without_role",
     [](contract_fixture& s, credentials_of_owner const& c) {
       s.admin({"remove-member", "--project", c.where.project, "--user", c.owner});
     }},
    {"owner_disabled",
     [](contract_fixture& s, credentials_of_owner const& c) { s.admin({"ban-user", "--user", c.owner}); }},
    {"project_archived",
     [](contract_fixture& s, credentials_of_owner const& c) {
       s.admin({"archive-project", "--project", c.where.project});
     }},
};

void add_spoilt(contract_fixture& s, std::vector<provoker>& out) {
  for (auto const& way : ways) {
    auto const made = make_credentials(s);
    way.spoil(s, made);
    out.push_back({way.code, "CLI token", takes_cli, [&s, made](http::operation const& op) {
                     auto r = s.good(op);
                     r.token = made.token;
                     return std::vector{s.ask(op, r)};
                   }});
    out.push_back({way.code, "trigger key", takes_trigger, [&s, made](http::operation const& op) {
                     auto r = s.good(op, made.where);
                     r.token = made.key;
                     return std::vector{s.ask(op, r)};
                   }});
  }
}

std::vector<attempt> play_invalid(contract_fixture& s, http::operation const& op) {
  auto const unknown = mint_token(token_kind::cli).key;
  std::string misspelt(unknown.reveal());
  misspelt.back() = misspelt.back() == '0' ? '1' : '0';
  auto r = s.good(op);
  r.token = unknown.reveal();
  std::vector<attempt> out{s.ask(op, r, "unknown")};
  r.token = misspelt;
  out.push_back(s.ask(op, r, "checksum"));
  r.token = "secret";
  out.push_back(s.ask(op, r, "prefix"));
  r.token.clear();
  r.headers = {{"Authorization", "Basic YTpi"}};
  out.push_back(s.ask(op, r, "scheme"));
  return out;
}

}  // namespace

std::vector<provoker> credentials(contract_fixture& s) {
  std::vector<provoker> out;
  add_spoilt(s, out);
  out.push_back({"token_required", "no credential", any_operation, [&s](http::operation const& op) {
                   auto r = s.good(op);
                   r.token.clear();
                   return std::vector{s.ask(op, r)};
                 }});
  out.push_back(
      {"invalid_token", "unusable", any_operation, [&s](http::operation const& op) { return play_invalid(s, op); }});
  out.push_back({"malformed_request", "two credentials", takes_cli, [&s](http::operation const& op) {
                   auto r = s.good(op);
                   r.headers = {{"Authorization", "Bearer " + r.token}};
                   return std::vector{s.ask(op, r)};
                 }});
  out.push_back({"wrong_token_kind", "trigger key", any_operation, [&s](http::operation const& op) {
                   auto r = s.good(op);
                   r.token = s.main().trigger_key;
                   return std::vector{s.ask(op, r)};
                 }});
  auto const elsewhere = s.make_tenant();
  out.push_back({"wrong_job", "another job's key", any_operation, [&s, elsewhere](http::operation const& op) {
                   auto r = s.good(op);
                   r.token = elsewhere.trigger_key;
                   return std::vector{s.ask(op, r)};
                 }});
  return out;
}

std::vector<provoker> roles(contract_fixture& s) {
  auto const viewer = s.make_user(s.main().project, "project_viewer");
  auto const token = s.make_token(s.main().project, viewer);
  auto const made =
      s.admin({"create-trigger-key", "--job", s.main().ids.at("jobs"), "--owner", viewer, "--name", "viewer's own"});
  std::string const key(made.at("key").as_string());

  std::vector<provoker> out;
  out.push_back({"permission_denied", "viewer", any_operation, [&s, token](http::operation const& op) {
                   auto r = s.good(op);
                   r.token = token;
                   return std::vector{s.ask(op, r)};
                 }});
  out.push_back({"permission_denied", "viewer's key", takes_trigger, [&s, key](http::operation const& op) {
                   auto r = s.good(op);
                   r.token = key;
                   return std::vector{s.ask(op, r)};
                 }});
  return out;
}

}  // namespace svc::test
