// Everything that a session's cookie adds to an operation that takes tokens, too.
#include "contract/provoker.hpp"
#include "svc/domain/token.hpp"

#include <boost/json.hpp>

namespace svc::test {
namespace {

bool takes_session(http::operation const& op) {
  return takes(op, "session");
}

/// A signed-in user of the main place's organisation, never used by another provoker.
struct session_of_user {
  std::string email;
  std::string secret;
  std::string project;
};

std::string project_id_of(contract_fixture& s, std::string const& path) {
  auto const rows = s.sql().run(
      "SELECT p.id FROM projects p JOIN organizations o ON o.id = p.organization_id WHERE o.slug || '/' || p.slug = "
      "$1",
      {path});
  return rows.at(0).at(0).value();
}

session_of_user make_session(contract_fixture& s) {
  auto const& project = s.main().project;
  session_of_user out{
      .email = s.make_user(project, "project_admin"), .secret = {}, .project = project_id_of(s, project)};
  out.secret = s.sign_in(out.email);
  return out;
}

/// A project of an organisation whose policy the session of its member does not meet.
session_of_user make_strict(contract_fixture& s) {
  s.admin({"create-organization", "--slug", "strict", "--name", "Strict"});
  s.admin({"create-project", "--organization", "strict", "--slug", "vault", "--name", "Vault"});
  session_of_user out{.email = s.make_user(s.main().project, "project_admin"),
                      .secret = {},
                      .project = project_id_of(s, "strict/vault")};
  s.admin({"add-member", "--organization", "strict", "--user", out.email, "--role", "org_owner"});
  s.sql().run(R"(UPDATE organizations SET sign_in_policy = '{"signIn": "oidc"}' WHERE slug = $1)", {"strict"});
  out.secret = s.sign_in(out.email);
  return out;
}

request by(request r, session_of_user const& session, std::string const& site = "same-origin") {
  r.token.clear();
  r.headers = {
      {"Cookie", "__Host-svc_session=" + session.secret}, {"Sec-Fetch-Site", site}, {"Svc-Project", session.project}};
  return r;
}

/// `spoil` is SQL that changes the session before its first use.
provoker spoilt(contract_fixture& s, std::string code, std::string const& spoil) {
  auto const session = make_session(s);
  s.sql().run(spoil + " WHERE user_id = (SELECT id FROM users WHERE email = $1)", {session.email});
  return {std::move(code), "session", takes_session,
          [&s, session](http::operation const& op) { return std::vector{s.ask(op, by(s.good(op), session))}; }};
}

std::vector<attempt> play_doubtful(contract_fixture& s, http::operation const& op, session_of_user session) {
  auto r = by(s.good(op), session);
  r.headers.emplace_back("Cookie", "__Host-svc_session=" + session.secret);
  std::vector<attempt> out{s.ask(op, r, "two cookies")};
  session.secret = std::string(mint_token(token_kind::session).key.reveal());
  out.push_back(s.ask(op, by(s.good(op), session), "unknown"));
  session.secret.back() = session.secret.back() == '0' ? '1' : '0';
  out.push_back(s.ask(op, by(s.good(op), session), "checksum"));
  return out;
}

}  // namespace

std::vector<provoker> sessions(contract_fixture& s) {
  std::vector<provoker> out;
  out.push_back(spoilt(s, "session_expired", "UPDATE sessions SET expires_at = clock_timestamp()"));
  out.push_back(
      spoilt(s, "session_ended", "UPDATE sessions SET ended_at = clock_timestamp(), ended_reason = 'ended'"));
  out.push_back(
      spoilt(s, "session_rotated", "UPDATE sessions SET previous_digest = digest, digest = sha256(digest)"));
  out.push_back(spoilt(s, "fresh_sign_in_required",
                       "UPDATE sessions SET authenticated_at = authenticated_at - interval '1 day'"));
  auto const session = make_session(s);
  out.push_back({"session_invalid", "cookie in doubt", takes_session,
                 [&s, session](http::operation const& op) { return play_doubtful(s, op, session); }});
  out.push_back(
      {"cross_site_request", "another site's page", takes_session, [&s, session](http::operation const& op) {
         std::vector<attempt> attempts;
         for (char const* site : {"cross-site", "same-site", "nonsense", ""})
           attempts.push_back(s.ask(op, by(s.good(op), session, site), site));
         return attempts;
       }});
  out.push_back({"project_required", "no project", takes_session, [&s, session](http::operation const& op) {
                   auto nameless = session;
                   nameless.project = "shop";
                   auto r = by(s.good(op), nameless);
                   std::vector<attempt> attempts{s.ask(op, r, "no id")};
                   r.headers.pop_back();
                   attempts.push_back(s.ask(op, r, "no header"));
                   return attempts;
                 }});
  out.push_back({"project_not_found", "unknown project", takes_session, [&s, session](http::operation const& op) {
                   auto lost = session;
                   lost.project = std::string(nowhere);
                   return std::vector{s.ask(op, by(s.good(op), lost))};
                 }});
  auto const strict = make_strict(s);
  out.push_back({"policy_not_met", "policy", takes_session,
                 [&s, strict](http::operation const& op) { return std::vector{s.ask(op, by(s.good(op), strict))}; }});
  return out;
}

}  // namespace svc::test
