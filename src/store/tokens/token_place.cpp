#include "store/sql/settled.hpp"
#include "store/tokens/token_sql.hpp"

namespace svc::store {

namespace {

// Locked in this order by everybody. FOR SHARE: a removal, ban or archiving waits for us, or we for it and then
// see it. Each statement has its own snapshot, so what was waited for is seen by the next.
constexpr postgres::statement share_project{
    "token_share_project", "SELECT organization_id, archived_at IS NOT NULL FROM projects WHERE id = $1 FOR SHARE"};
constexpr postgres::statement share_job{
    "token_share_job", "SELECT id FROM jobs WHERE id = $2 AND project_id = $1 AND deleted_at IS NULL FOR SHARE"};
constexpr postgres::statement share_owner{"token_share_owner",
                                          "SELECT name, disabled_at IS NOT NULL FROM users WHERE id = $1 FOR SHARE"};
constexpr postgres::statement share_member{"token_share_member", R"(
SELECT role FROM organization_members
 WHERE user_id = $2 AND organization_id = (SELECT organization_id FROM projects WHERE id = $1) FOR SHARE)"};
constexpr postgres::statement share_role{
    "token_share_role", "SELECT role FROM project_members WHERE project_id = $1 AND user_id = $2 FOR SHARE"};

/// One creation at a time in a project or job, so that the next statement's snapshot sees all slots taken
/// before. Who inserts without it still meets the unique slots.
constexpr postgres::statement lock_slots{"token_lock_slots",
                                         "SELECT pg_advisory_xact_lock(hashtextextended('slots ' || $1, 0))"};

#define SVC_SLOT(scope, most)                                                                \
  "SELECT (SELECT min(n) FROM generate_series(1, " most                                      \
  ") n"                                                                                      \
  " WHERE NOT EXISTS (SELECT FROM tokens t WHERE t.slot = n AND" scope                       \
  "))::int8,"                                                                                \
  " EXISTS (SELECT FROM tokens t WHERE t.name = $3 AND" scope                                \
  "),"                                                                                       \
  " ARRAY(SELECT t.name FROM tokens t WHERE t.expires_at <= statement_timestamp() AND" scope \
  " ORDER BY t.expires_at, t.id)"
constexpr postgres::statement slot_of_project{"token_slot_of_project", SVC_SLOT(SVC_TOKENS_OF_PROJECT, "20")};
constexpr postgres::statement slot_of_job{"token_slot_of_job", SVC_SLOT(SVC_TOKENS_OF_JOB, "10")};
#undef SVC_SLOT

std::vector<postgres::query> place_queries(new_token const& what) {
  token_scope const& at = what.place;
  return {{share_project, postgres::parameters(at.project)},
          {share_job, postgres::parameters(at.project, at.job)},
          {share_owner, postgres::parameters(what.owner)},
          {share_member, postgres::parameters(at.project, what.owner)},
          {share_role, postgres::parameters(at.project, what.owner)},
          {lock_slots, postgres::parameters((at.job ? *at.job : at.project).to_string())},
          {at.job ? slot_of_job : slot_of_project, postgres::parameters(at.project, at.job, what.name)}};
}

std::string_view text_or_nothing(postgres::rows const& found) {
  return found.empty() ? std::string_view() : found.front().text(0);
}

/// As the auth read would judge the new token; a credential that lost its standing since is refused alike.
result<> check_standing(std::vector<postgres::rows> const& found, bool trigger_key) {
  auto const &project = found[0], &job = found[1], &owner = found[2], &member = found[3], &in_project = found[4];
  if (project.empty() || owner.empty()) return errc::not_found;
  if (trigger_key && job.empty()) return errc::not_found;
  if (owner.front().boolean(1)) return errc::owner_disabled;
  if (member.empty()) return errc::owner_removed;
  if (effective_role(text_or_nothing(member), text_or_nothing(in_project)) == role::none)
    return errc::owner_without_role;
  if (project.front().boolean(1)) return errc::project_archived;
  return {};
}

error limit_error(bool trigger_key, std::vector<std::string> const& expired) {
  std::string text = trigger_key ? "A job holds at most 10 unrevoked trigger keys."
                                 : "A project holds at most 20 unrevoked tokens, expired and disabled ones included.";
  if (expired.empty()) {
    text += " Delete one that is no longer needed.";
  } else {
    text += " Expired, can be deleted:";
    for (std::size_t i = 0; i < expired.size(); ++i) text += (i == 0 ? " \"" : ", \"") + expired[i] + "\"";
    text += ".";
  }
  return {trigger_key ? errc::trigger_key_limit_reached : errc::token_limit_reached, std::move(text)};
}

}  // namespace

task<result<token_place>> take_place(postgres::unit_of_work& tx, new_token const& what) {
  std::vector<postgres::rows> const found = settled(co_await tx.run(place_queries(what)));
  bool const trigger_key = what.place.job.has_value();
  if (auto ok = check_standing(found, trigger_key); !ok) co_return ok.error();
  postgres::row const r = found[6].front();
  if (r.boolean(1)) co_return errc::name_taken;
  if (r.is_null(0)) co_return limit_error(trigger_key, r.texts(2));
  co_return token_place{std::string(found[2].front().text(0)), found[0].front().id(0), r.integer(0)};
}

error creation_error(postgres::server_error const& why, bool trigger_key) {
  if (why.constraint == "tokens_project_name_unique" || why.constraint == "tokens_job_name_unique")
    return errc::name_taken;
  if (why.constraint == "tokens_project_slot_unique" || why.constraint == "tokens_job_slot_unique")
    return limit_error(trigger_key, {});
  if (why.constraint == "token_secrets_pkey") return {errc::name_taken, "This token's digest is already stored."};
  reject(why);
}

}  // namespace svc::store
