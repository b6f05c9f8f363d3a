// Acceptance of invitations: by users who are signed in, or with a new account. Identity providers are in
// identity_store.cpp.
#include "store/accounts/account_sql.hpp"
#include "store/accounts/identity_roles.hpp"
#include "store/accounts/invitation_sql.hpp"
#include "store/directory/member_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/store/accounts/invitation_store.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <iterator>

namespace svc::store {
namespace {

constexpr auto preview_invitation_sql = sql(R"(
SELECT o.id, o.slug, o.name, v.email, v.role, i.name, v.expires_at,
       EXISTS (SELECT FROM users u WHERE lower(u.email) = lower(v.email)),
       policy_met(o.sign_in_policy, 'password', NULL),
       CASE WHEN o.sign_in_policy ->> 'signIn' = 'oidc' THEN coalesce(o.sign_in_policy -> 'providers', '[]')
            ELSE '[]' END
  FROM one_time_secrets s
  JOIN invitations v ON v.id = s.invitation_id
  JOIN organizations o ON o.id = v.organization_id
  JOIN users i ON i.id = v.invited_by
 WHERE s.digest = $1 AND)",
                                            invitation_is_open, "AND", inviter_may_invite);
constexpr postgres::statement preview_invitation{"invitation_preview", preview_invitation_sql};

constexpr postgres::statement insert_invited_subject{"invitation_insert_subject",
                                                     "INSERT INTO subjects (id) VALUES ($1)"};
constexpr postgres::statement insert_invited_user{"invitation_insert_user", R"(
INSERT INTO users (id, email, name, email_verified_at)
VALUES ($1, $2, $3, CASE WHEN $4::boolean THEN clock_timestamp() END))"};

error other_address() {
  return {errc::permission_denied,
          "The invitation is for another address. Sign in to the account of that address, or ask for an invitation "
          "of your own."};
}

}  // namespace

task<result<invitation_preview>> invitation_store::preview(sha256_digest secret, deadline until) {
  postgres::query ask{preview_invitation, postgres::parameters(byte_view(secret))};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  if (found.empty()) co_return errc::link_over;
  postgres::row const r = found.front();
  co_return invitation_preview{.organization = r.id(0),
                               .organization_slug = std::string(r.text(1)),
                               .organization_name = std::string(r.text(2)),
                               .email = std::string(r.text(3)),
                               .role = std::string(r.text(4)),
                               .inviter_name = std::string(r.text(5)),
                               .expires_at = r.time(6),
                               .has_account = r.boolean(7),
                               .admits_password = r.boolean(8),
                               .providers = std::string(r.text(9))};
}

task<change<>> invitation_store::accept(sha256_digest secret, audit_actor actor, deadline until) {
  auto const user = actor.user.value();
  postgres::unit_of_work tx = co_await db_.begin(until);
  postgres::rows const account = settled(co_await tx.run(lock_account_query(user)));
  if (account.empty()) co_return change<>(errc::session_ended);
  auto const email = account.front().text(3);
  std::vector<postgres::query> locks{lock_inviting_organization_query(byte_view(secret)),
                                     lock_invitation_query(byte_view(secret), email)};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(locks)));
  if (found[1].empty()) co_return change<>(errc::link_over);
  auto const invitation = read_locked_invitation(found[1].front());
  if (!invitation.fits) co_return change<>(other_address());
  auto const organization = invitation.organization;
  std::vector<postgres::query> look{find_member_query(organization, email), count_members_query(organization)};
  std::vector<postgres::rows> const members = settled(co_await tx.run(std::move(look)));
  if (!members[0].empty()) co_return change<>(errc::already_member);
  if (is_full(members[1].front().integer(0))) co_return change<>(errc::member_limit_reached);

  opening joining{.user = user, .name = {}, .email = {}, .session = {}};
  add_role_changes(joining, co_await invited_roles(tx, invitation), "");
  std::vector<postgres::query> last{accept_invitation_query(invitation.id, user)};
  if (invitation.mailed) last.push_back(verify_email_query(user));
  std::ranges::move(joining.changes, std::back_inserter(last));
  last.push_back(audit_query(invitation_audit("accepted", organization, invitation.id, actor)));
  for (auto& entry : joining.audits) {
    entry.actor = actor;
    last.push_back(audit_query(entry));
  }
  last.push_back(bump_member_query(organization, user));
  std::vector<postgres::rows> const done = settled(co_await tx.commit(std::move(last)));
  co_return change<>(result<>(), read_epochs(done.back()));
}

task<change<signed_in>> invitation_store::accept_as_new(sha256_digest secret, std::string name,
                                                        std::string password_hash, new_session session,
                                                        deadline until) {
  using answer = change<signed_in>;
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> locks{lock_inviting_organization_query(byte_view(secret)),
                                     lock_invitation_query(byte_view(secret), "")};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(locks)));
  if (found[1].empty()) co_return answer(errc::link_over);
  auto const invitation = read_locked_invitation(found[1].front());
  postgres::rows const members = settled(co_await tx.run(count_members_query(invitation.organization)));
  if (is_full(members.front().integer(0))) co_return answer(errc::member_limit_reached);

  opening joining{
      .user = uuid::generate_v7(), .name = name, .email = invitation.email, .session = std::move(session)};
  std::vector<postgres::query> account{
      {insert_invited_subject, postgres::parameters(joining.user)},
      {insert_invited_user, postgres::parameters(joining.user, invitation.email, name, invitation.mailed)},
      set_password_query(joining.user, password_hash)};
  auto const made = co_await tx.run(std::move(account));
  if (!made && made.error().unique_violation()) co_return answer(errc::account_exists);
  static_cast<void>(settled(made));
  joining.changes.push_back(accept_invitation_query(invitation.id, joining.user));
  boost::json::object const details{{"name", name}};
  joining.audits.push_back(account_audit({}, "user.created", "user", joining.user, boost::json::serialize(details)));
  joining.audits.push_back(invitation_audit("accepted", invitation.organization, invitation.id, {}));
  joining.audits.push_back(account_audit({}, "password.set", "user", joining.user));
  add_role_changes(joining, co_await invited_roles(tx, invitation), "");
  co_return co_await open_session(tx, std::move(joining), times_.absolute);
}

}  // namespace svc::store
