#include "store/sql/change_sql.hpp"

#include "store/sql/settled.hpp"

#include <algorithm>

namespace svc::store {

namespace {

// $1 is random: the id's time is the database's, as is that of the row.
constexpr postgres::statement insert_audit{"audit_insert", R"(
INSERT INTO audit_log (id, organization_id, project_id, action, actor_id, actor_name, actor_token_id,
                       resource, resource_id, ip, user_agent, request_id, details, created_at)
SELECT id_at(t.now, $1), $2, $3, $4, $5, $6, $7, $8, $9, nullif($10, ''), nullif($11, ''), nullif($12, ''), $13, t.now
  FROM (SELECT clock_timestamp() AS now) t
 WHERE assert_writer($14, $15, $16, $17, $18))"};

// The same for a session. Without a permit the session has just been created by this transaction.
constexpr postgres::statement insert_session_audit{"audit_insert_by_session", R"(
INSERT INTO audit_log (id, organization_id, project_id, action, actor_id, actor_name, actor_session_id,
                       resource, resource_id, ip, user_agent, request_id, details, created_at)
SELECT id_at(t.now, $1), $2, $3, $4, $5, $6, $7, $8, $9, nullif($10, ''), nullif($11, ''), nullif($12, ''), $13, t.now
  FROM (SELECT clock_timestamp() AS now) t
 WHERE $14::uuid IS NULL OR assert_session($14, $15, $16, $17, $18, $19, $20))"};

constexpr postgres::statement bump{"subjects_bump", "SELECT subject_id, subject_epoch FROM bump_subjects($1)"};

constexpr std::size_t max_user_agent = 512;

constexpr postgres::statement lock_project{"project_lock", R"(
SELECT clock_timestamp() FROM projects WHERE id = $1 AND archived_at IS NULL FOR SHARE)"};

constexpr postgres::statement look_usage{"quota_look",
                                         "SELECT used, bytes FROM project_usage WHERE project_id = $1 AND kind = $2"};

constexpr postgres::statement assert_usage{"quota_assert", "SELECT assert_quota($1, $2, $3, $4)"};

}  // namespace

std::string audit_user_agent(std::string_view text) {
  std::string out(text.substr(0, max_user_agent));
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return out;
}

namespace {

postgres::query session_audit_query(audit_entry const& e) {
  std::optional<uuid> writer, subject, project, organization;
  std::optional<std::int64_t> epoch;
  std::vector<std::string> roles;
  std::optional<byte_view> secret;
  if (auto const& permit = e.actor.permit) {
    writer = permit->token;
    subject = permit->subject;
    epoch = permit->epoch;
    project = permit->session->project;
    organization = permit->session->organization;
    roles = permit->roles;
    if (permit->secret) secret = byte_view(*permit->secret);
  }
  return {insert_session_audit,
          postgres::parameters(uuid::generate_v7(), e.organization, e.project, e.action, e.actor.user, e.actor.name,
                               e.actor.session, e.resource, e.resource_id, e.actor.ip,
                               audit_user_agent(e.actor.user_agent), e.actor.request_id, e.details, writer, subject,
                               epoch, project, organization, roles, secret)};
}

}  // namespace

postgres::query audit_query(audit_entry const& e) {
  if (e.actor.audited && e.project) e.actor.audited->push_back({*e.project, e.resource, e.resource_id});
  if (e.actor.session) return session_audit_query(e);
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

std::vector<subject_epoch> read_epochs(postgres::rows const& found) {
  std::vector<subject_epoch> out;
  out.reserve(static_cast<std::size_t>(found.size()));
  for (int i = 0; i < found.size(); ++i) out.push_back({found[i].id(0), found[i].integer(1)});
  return out;
}

task<postgres::rows> commit_change(postgres::unit_of_work& work, std::vector<postgres::query> changes,
                                   postgres::query audited, postgres::query reread) {
  changes.push_back(std::move(audited));
  changes.push_back(std::move(reread));
  std::vector<postgres::rows> done = settled(co_await work.commit(std::move(changes)));
  co_return std::move(done.back());
}

void report_changes(change_listener const& listener, std::string_view resource, std::vector<uuid> projects) {
  if (!listener || projects.empty()) return;
  std::ranges::sort(projects);
  auto const repeats = std::ranges::unique(projects);
  projects.erase(repeats.begin(), repeats.end());
  std::vector<changed_thing> out;
  out.reserve(projects.size());
  for (auto const& project : projects) out.push_back({.project = project, .resource = std::string(resource)});
  listener(std::move(out));
}

std::vector<field_error> check_known(std::vector<uuid> const& wanted, postgres::rows const& known,
                                     std::string_view before, std::string_view after, std::string_view reason) {
  auto const ids = read_ids(known);
  std::vector<field_error> wrong;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (std::ranges::find(ids, wanted[i]) == ids.end())
      wrong.push_back({std::string(before) + std::to_string(i) + std::string(after), std::string(reason)});
  return wrong;
}

postgres::query lock_project_query(uuid project) {
  return {lock_project, postgres::parameters(project)};
}

postgres::query growth::look() const {
  return {look_usage, postgres::parameters(project, counted_kind.name)};
}

result<> growth::fits(postgres::rows const& looked) const {
  amount held;
  if (!looked.empty()) held = {looked.front().integer(0), looked.front().integer(1)};
  switch (excess_of(held, more, most)) {
    case excess::count:
      return counted_kind.too_many;
    case excess::bytes:
      return counted_kind.too_large;
    case excess::none:
      break;
  }
  return {};
}

/// An amount that does not grow may exceed its quota.
postgres::query growth::assertion() const {
  return {assert_usage,
          postgres::parameters(project, counted_kind.name, more.count > 0 ? most.count : std::int64_t(0),
                               more.bytes > 0 ? most.bytes : std::int64_t(0))};
}

error growth::refusal(postgres::server_error const& failure) const {
  std::string const kind(counted_kind.name);
  if (failure.constraint == kind + "_quota") return {counted_kind.too_many};
  if (failure.constraint == kind + "_bytes_quota") return {counted_kind.too_large};
  reject(failure);
}

}  // namespace svc::store
