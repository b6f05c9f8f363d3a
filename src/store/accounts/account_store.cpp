#include "svc/store/accounts/account_store.hpp"

#include "store/accounts/account_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"

#include <boost/json.hpp>

namespace svc::store {
namespace {

constexpr postgres::statement read_account{"account_read", R"(
SELECT u.id, u.name, u.email, u.email_verified_at, u.preferences, u.version, s.id, s.method, coalesce(s.provider, ''),
       s.authenticated_at, s.expires_at
  FROM users u JOIN sessions s ON s.id = $2 AND s.user_id = u.id
 WHERE u.id = $1)"};

constexpr postgres::statement read_organizations{"account_organizations", R"(
SELECT o.id, o.slug, o.name, m.role, policy_met(o.sign_in_policy, s.method, s.provider)
  FROM organization_members m
  JOIN organizations o ON o.id = m.organization_id
  JOIN sessions s ON s.id = $2
 WHERE m.user_id = $1 ORDER BY o.name, o.id)"};

constexpr postgres::statement update_account{"account_update", R"(
UPDATE users SET name = $2, preferences = $3::text::jsonb, version = version + 1 WHERE id = $1)"};

std::vector<postgres::query> account_queries(uuid user, uuid session) {
  return {{read_account, postgres::parameters(user, session)},
          {read_organizations, postgres::parameters(user, session)}};
}

std::optional<own_account> read_own_account(postgres::rows const& account, postgres::rows const& organizations) {
  if (account.empty()) return std::nullopt;
  postgres::row const r = account.front();
  own_account out{.user = r.id(0),
                  .name = std::string(r.text(1)),
                  .email = std::string(r.text(2)),
                  .email_verified_at = r.maybe_time(3),
                  .preferences = std::string(r.text(4)),
                  .version = r.integer(5),
                  .session = r.id(6),
                  .method = std::string(r.text(7)),
                  .provider = std::string(r.text(8)),
                  .authenticated_at = r.time(9),
                  .expires_at = r.time(10)};
  for (int i = 0; i < organizations.size(); ++i) {
    postgres::row const o = organizations[i];
    out.organizations.push_back({.id = o.id(0),
                                 .slug = std::string(o.text(1)),
                                 .name = std::string(o.text(2)),
                                 .role = std::string(o.text(3)),
                                 .policy_met = o.boolean(4)});
  }
  return out;
}

}  // namespace

task<result<own_account>> account_store::read(uuid user, uuid session, deadline until) {
  std::vector<postgres::rows> const found = settled(co_await db_.run(account_queries(user, session), until));
  auto account = read_own_account(found[0], found[1]);
  if (!account) co_return errc::session_ended;
  co_return std::move(*account);
}

task<change<own_account>> account_store::update(uuid user,
                                                std::function<result<account_edit>(own_account const&)> edit,
                                                version_condition expected, audit_actor actor, deadline until) {
  using answer = change<own_account>;
  auto const session = actor.session.value_or(uuid{});
  postgres::unit_of_work tx = co_await db_.begin(until);
  // The lock is a statement of its own, because the snapshot of the reads must be newer.
  std::vector<postgres::query> first{lock_account_query(user)};
  for (auto& each : account_queries(user, session)) first.push_back(std::move(each));
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(first)));
  auto account = read_own_account(found[1], found[2]);
  if (!account) co_return answer(errc::session_ended);
  if (!expected.allows(account->version)) co_return answer(errc::precondition_failed);
  auto const wanted = edit(*account);
  if (!wanted) co_return answer(wanted.error());
  boost::json::object const details{{"name", wanted->name}};
  std::vector<postgres::query> last{
      {update_account, postgres::parameters(user, wanted->name, wanted->preferences)},
      bump_query({user}),
      audit_query(account_audit(actor, "user.updated", "user", user, boost::json::serialize(details)))};
  for (auto& each : account_queries(user, session)) last.push_back(std::move(each));
  std::vector<postgres::rows> const done = settled(co_await tx.commit(std::move(last)));
  co_return answer(read_own_account(done[3], done[4]).value(), read_epochs(done[1]));
}

}  // namespace svc::store
