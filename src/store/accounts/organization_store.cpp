#include "svc/store/accounts/organization_store.hpp"

#include "store/directory/member_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"

#include <boost/json.hpp>

namespace svc::store {
namespace {

constexpr postgres::statement read_organization{"organization_read", R"(
SELECT o.id, o.slug, o.name,
       jsonb_build_object('signIn', coalesce(o.sign_in_policy ->> 'signIn', 'any'),
                          'providers', coalesce(o.sign_in_policy -> 'providers', '[]')),
       o.version, o.created_at
  FROM organizations o WHERE o.id = $1)"};

constexpr postgres::statement rename_organization{
    "organization_rename", "UPDATE organizations SET name = $2, version = version + 1 WHERE id = $1"};

constexpr postgres::statement update_policy{"organization_set_policy", R"(
UPDATE organizations SET sign_in_policy = $2::text::jsonb, version = version + 1 WHERE id = $1)"};

/// One row that says whether the session meets the policy; none for the operator.
constexpr postgres::statement meets_policy{"organization_meets_policy", R"(
SELECT policy_met($2::text::jsonb, s.method, s.provider) FROM sessions s WHERE s.id = $1)"};

/// The records of all members' sessions contain the verdict on the policy.
constexpr postgres::statement bump_members{"organization_bump_members", R"(
SELECT subject_id, subject_epoch
  FROM bump_subjects(ARRAY(SELECT m.user_id FROM organization_members m WHERE m.organization_id = $1)))"};

postgres::query read_organization_query(uuid organization) {
  return {read_organization, postgres::parameters(organization)};
}

shown_organization as_shown(postgres::row const& r) {
  return {.id = r.id(0),
          .slug = std::string(r.text(1)),
          .name = std::string(r.text(2)),
          .policy = std::string(r.text(3)),
          .version = r.integer(4),
          .created_at = r.time(5)};
}

audit_entry organization_audit(uuid organization, std::string action, audit_actor const& actor,
                               boost::json::object const& details) {
  return {.actor = actor,
          .organization = organization,
          .action = "organization." + std::move(action),
          .resource = "organization",
          .resource_id = organization,
          .details = boost::json::serialize(details)};
}

boost::json::object policy_json(sign_in_policy const& policy) {
  boost::json::array providers;
  for (auto const& each : policy.providers) providers.emplace_back(each);
  return {{"signIn", policy.only_oidc ? "oidc" : "any"}, {"providers", std::move(providers)}};
}

/// Returns why a change of the organisation as it is now is refused, or success.
result<> check_organization(postgres::rows const& found, version_condition const& expected) {
  if (found.empty()) return errc::not_found;
  if (!expected.allows(as_shown(found.front()).version)) return errc::precondition_failed;
  return {};
}

}  // namespace

task<result<shown_organization>> organization_store::read(uuid organization, deadline until) {
  return read_one<shown_organization>(db_.run(read_organization_query(organization), until),
                                      [](postgres::row const& r, int) { return as_shown(r); });
}

task<change<shown_organization>> organization_store::rename(uuid organization, std::string name,
                                                            version_condition expected, audit_actor actor,
                                                            deadline until) {
  using answer = change<shown_organization>;
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> first{lock_organization_query(organization), read_organization_query(organization)};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(first)));
  if (auto const ok = check_organization(found[1], expected); !ok) co_return answer(ok.error());
  auto const entry = organization_audit(organization, "updated", actor, {{"name", name}});
  std::vector<postgres::query> changes{{rename_organization, postgres::parameters(organization, name)}};
  postgres::rows const done =
      co_await commit_change(tx, std::move(changes), audit_query(entry), read_organization_query(organization));
  co_return answer(as_shown(done.front()));
}

task<change<shown_organization>> organization_store::set_policy(uuid organization, sign_in_policy policy,
                                                                version_condition expected, audit_actor actor,
                                                                deadline until) {
  using answer = change<shown_organization>;
  auto const details = policy_json(policy);
  auto const text = boost::json::serialize(details);
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> first{lock_organization_query(organization),
                                     read_organization_query(organization),
                                     {meets_policy, postgres::parameters(actor.session, text)}};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(first)));
  if (auto const ok = check_organization(found[1], expected); !ok) co_return answer(ok.error());
  if (!found[2].empty() && !found[2].front().boolean(0)) co_return answer(errc::policy_would_lock_out);
  std::vector<postgres::query> last{{update_policy, postgres::parameters(organization, text)},
                                    audit_query(organization_audit(organization, "policy_set", actor, details)),
                                    {bump_members, postgres::parameters(organization)},
                                    read_organization_query(organization)};
  std::vector<postgres::rows> const done = settled(co_await tx.commit(std::move(last)));
  co_return answer(as_shown(done[3].front()), read_epochs(done[2]));
}

}  // namespace svc::store
