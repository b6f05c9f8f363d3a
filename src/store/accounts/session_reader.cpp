#include "svc/core/log.hpp"
#include "svc/core/random.hpp"
#include "svc/store/tokens/auth_reader.hpp"

#include "store/sql/settled.hpp"

namespace svc::store {
namespace {

// As `auth_read`: one snapshot for many sessions, each with the scope of its request. Sub-selects hide the arrays, so
// that the generic plan is kept, and have a LIMIT, so that each table is read by its key. A secret that a fresh
// sign-in has replaced is found, too. $4: seconds after which an unused session ends.
constexpr postgres::statement session_read{"session_read", R"(
SELECT s.id, s.user_id, u.name, p.id, o.id, coalesce(p.slug, ''), coalesce(o.slug, ''),
       coalesce(om.role, ''), coalesce(pm.role, ''), e.epoch, s.expires_at, s.authenticated_at, s.method,
       coalesce(s.provider, ''), s.ended_at IS NOT NULL,
       s.last_seen_at <= statement_timestamp() - (SELECT $4::bigint) * interval '1 second',
       s.digest <> asked.digest, u.disabled_at IS NOT NULL, p.archived_at IS NOT NULL,
       policy_met(o.sign_in_policy, s.method, s.provider), statement_timestamp(),
       asked.digest, asked.kind, asked.scope
  FROM unnest((SELECT $1::bytea[]), (SELECT $2::bigint[]), (SELECT $3::uuid[])) asked (digest, kind, scope)
 CROSS JOIN LATERAL (
    SELECT * FROM (SELECT * FROM sessions WHERE digest = asked.digest
                   UNION ALL
                   SELECT * FROM sessions WHERE previous_digest = asked.digest) found LIMIT 1) s
 CROSS JOIN LATERAL (SELECT * FROM users WHERE id = s.user_id LIMIT 1) u
 CROSS JOIN LATERAL (SELECT * FROM subjects WHERE id = s.user_id LIMIT 1) e
  LEFT JOIN LATERAL (SELECT * FROM projects WHERE id = CASE WHEN asked.kind = 2 THEN asked.scope END LIMIT 1) p ON true
  LEFT JOIN LATERAL (SELECT * FROM organizations
                      WHERE id = CASE asked.kind WHEN 2 THEN p.organization_id WHEN 1 THEN asked.scope END
                      LIMIT 1) o ON true
  LEFT JOIN LATERAL (SELECT * FROM organization_members
                      WHERE organization_id = o.id AND user_id = s.user_id LIMIT 1) om ON true
  LEFT JOIN LATERAL (SELECT * FROM project_members WHERE project_id = p.id AND user_id = s.user_id LIMIT 1) pm
         ON true)"};

/// The facts, from the snapshot of one read, that decide whether a session may be used.
struct session_state_facts {
  bool ended = false, idle = false, rotated = false, user_disabled = false, archived = false, policy_met = true;
  bool project_known = false;
};

/// Returns the state to report. If there are several reasons for refusal, the one that a person would look for first.
token_state state_of(session_state_facts const& facts, principal const& caller) {
  if (facts.ended) return token_state::session_ended;
  if (facts.idle) return token_state::session_expired;
  if (facts.rotated) return token_state::session_rotated;
  if (facts.user_disabled) return token_state::owner_disabled;
  auto const& session = *caller.session;
  bool const member = session.in_organization != organization_role::none;
  switch (session.presented.scope.kind) {
    case session_scope_kind::user:
      return token_state::usable;
    case session_scope_kind::organization:
      if (!member) return token_state::organization_not_found;
      break;
    case session_scope_kind::project:
      if (!facts.project_known || facts.archived || !member || caller.owner_role == role::none)
        return token_state::project_not_found;
      break;
  }
  return facts.policy_met ? token_state::usable : token_state::policy_not_met;
}

token_record session_record_of(postgres::row const& r) {
  auto facts = std::make_shared<session_facts>();
  facts->presented = {digest_of(r.bytes(21)), {static_cast<session_scope_kind>(r.integer(22)), r.id(23)}};
  facts->in_organization = parse_organization_role(r.text(7));
  facts->authenticated_at = r.time(11);
  facts->method = std::string(r.text(12));
  facts->provider = std::string(r.text(13));
  token_record out;
  out.caller.kind = token_kind::session;
  out.caller.token_id = r.id(0);
  // Runs that a session triggers show the user's name.
  out.caller.token_name = out.caller.owner_name = std::string(r.text(2));
  out.caller.owner_id = out.caller.subject = r.id(1);
  out.caller.owner_role = effective_role(r.text(7), r.text(8));
  out.caller.project_id = r.maybe_id(3).value_or(uuid{});
  out.caller.organization_id = r.maybe_id(4).value_or(uuid{});
  out.caller.project_slug = std::string(r.text(5));
  out.caller.organization_slug = std::string(r.text(6));
  out.caller.epoch = r.integer(9);
  out.caller.expires_at = r.time(10);
  out.caller.session = std::move(facts);
  session_state_facts const state{.ended = r.boolean(14),
                                  .idle = r.boolean(15),
                                  .rotated = r.boolean(16),
                                  .user_disabled = r.boolean(17),
                                  .archived = r.boolean(18),
                                  .policy_met = r.boolean(19),
                                  .project_known = !r.is_null(3)};
  out.state = state_of(state, out.caller);
  out.read_at = r.time(20);
  out.max_age_micros = draw_record_age();
  return out;
}

}  // namespace

task<auth_reading> postgres_auth_reader::read_sessions(std::vector<presented_session> sessions, deadline until) {
  postgres::query ask{session_read};
  ask.parameters.add_array(sessions, [](presented_session const& s) { return byte_view(s.digest); });
  ask.parameters.add_array(sessions,
                           [](presented_session const& s) { return static_cast<std::int64_t>(s.scope.kind); });
  ask.parameters.add_array(sessions, [](presented_session const& s) { return s.scope.id; });
  ask.parameters.add(std::int64_t{idle_.count()});
  auth_reading out;
  postgres::rows const rows = settled(co_await db_.run(std::move(ask), until, out.sent));
  for (int i = 0; i < rows.size(); ++i) {
    presented_session const asked{digest_of(rows[i].bytes(21)),
                                  {static_cast<session_scope_kind>(rows[i].integer(22)), rows[i].id(23)}};
    auto& record = out.records[session_record_key(asked)];
    try {
      record = session_record_of(rows[i]);
    } catch (std::exception const& odd) {
      // A row that a newer version has written must not affect the other sessions of the statement.
      log::warn("a stored session cannot be read", {{"session", rows[i].id(0).to_string()}, {"why", odd.what()}});
    }
  }
  co_return out;
}

}  // namespace svc::store
