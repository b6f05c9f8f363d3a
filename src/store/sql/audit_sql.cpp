#include "store/sql/audit_sql.hpp"

namespace svc::store {

namespace {

constexpr postgres::statement insert_audit{"audit_insert", R"(
INSERT INTO audit_log (id, organization_id, project_id, action, actor_id, actor_name, actor_token_id,
                       resource, resource_id, ip, user_agent, request_id, details)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, nullif($10, ''), nullif($11, ''), nullif($12, ''), $13
 WHERE assert_writer($14, $15, $16, $17, $18))"};

constexpr postgres::statement bump{"subjects_bump", "SELECT subject_id, subject_epoch FROM bump_subjects($1)"};

constexpr postgres::statement read{"subjects_read", "SELECT id, epoch FROM subjects WHERE id = ANY ($1) ORDER BY id"};

constexpr std::size_t max_user_agent = 512;

}  // namespace

std::string audit_user_agent(std::string_view text) {
  std::string out(text.substr(0, max_user_agent));
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return out;
}

postgres::query audit_query(audit_entry const& e) {
  std::optional<uuid> writer, subject;
  std::optional<std::int64_t> epoch;
  std::vector<std::string> roles;
  std::optional<byte_view> secret;
  if (auto const& permit = e.actor.permit) {
    writer = permit->token;
    subject = permit->subject;
    epoch = permit->epoch;
    roles = permit->roles;
    if (permit->secret) secret = byte_view(*permit->secret);
  }
  return {insert_audit, postgres::parameters(uuid::generate_v7(), e.organization, e.project, e.action, e.actor.user,
                                             e.actor.name, e.actor.token, e.resource, e.resource_id, e.actor.ip,
                                             audit_user_agent(e.actor.user_agent), e.actor.request_id, e.details,
                                             writer, subject, epoch, roles, secret)};
}

postgres::query bump_query(std::vector<uuid> const& subjects) {
  return {bump, postgres::parameters(subjects)};
}

postgres::query epochs_query(std::vector<uuid> const& subjects) {
  return {read, postgres::parameters(subjects)};
}

std::vector<subject_epoch> read_epochs(postgres::rows const& found) {
  std::vector<subject_epoch> out;
  out.reserve(static_cast<std::size_t>(found.size()));
  for (int i = 0; i < found.size(); ++i) out.push_back({found[i].id(0), found[i].integer(1)});
  return out;
}

}  // namespace svc::store
