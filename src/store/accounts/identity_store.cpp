#include "svc/store/accounts/identity_store.hpp"

#include "store/accounts/account_sql.hpp"
#include "store/accounts/identity_roles.hpp"
#include "store/accounts/invitation_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/core/ascii.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace svc::store {
namespace {

/// Two sign-ins of one new person may both try to create the account; the later one then finds it.
constexpr int most_attempts_at_account = 3;

// A statement of its own before the next ones, whose snapshots must be newer than the locks.
constexpr postgres::statement lock_people{"identity_lock_people", R"(
SELECT u.id FROM users u
 WHERE u.id IN (SELECT i.user_id FROM identities i WHERE i.issuer = $1 AND i.subject = $2
                UNION SELECT e.id FROM users e WHERE lower(e.email) = lower($3))
 ORDER BY u.id FOR NO KEY UPDATE)"};

constexpr postgres::statement read_identity_facts{"identity_read_facts", R"(
SELECT k.user_id, e.id, EXISTS (SELECT FROM identities o WHERE o.user_id = e.id AND o.provider = $4)
  FROM (SELECT) one
  LEFT JOIN identities k ON k.issuer = $1 AND k.subject = $2
  LEFT JOIN users e ON lower(e.email) = lower($3))"};

constexpr postgres::statement insert_account_subject{"identity_insert_subject",
                                                     "INSERT INTO subjects (id) VALUES ($1)"};
constexpr postgres::statement insert_account{
    "identity_insert_user",
    "INSERT INTO users (id, email, name, email_verified_at) VALUES ($1, $2, $3, clock_timestamp())"};
constexpr postgres::statement insert_identity{
    "identity_insert",
    "INSERT INTO identities (user_id, provider, issuer, subject, email) VALUES ($1, $2, $3, $4, $5)"};
constexpr postgres::statement use_identity{"identity_use", R"(
UPDATE identities SET last_used_at = clock_timestamp(), email = coalesce(nullif($3, ''), email)
 WHERE issuer = $1 AND subject = $2)"};
constexpr postgres::statement delete_former_identities{
    "identity_delete_former", "DELETE FROM identities WHERE user_id = $1 RETURNING provider"};
constexpr postgres::statement delete_former_password{"identity_delete_password",
                                                     "DELETE FROM passwords WHERE user_id = $1 RETURNING user_id"};

constexpr postgres::statement refresh_by_identity{"session_refresh_by_identity", R"(
UPDATE sessions SET previous_digest = digest, digest = $3, method = $4, provider = $5,
       authenticated_at = clock_timestamp()
 WHERE id = $1 AND user_id = $2 AND ended_at IS NULL AND expires_at > clock_timestamp()
RETURNING clock_timestamp(), expires_at)"};
constexpr postgres::statement user_of_session{"session_read_user", "SELECT user_id FROM sessions WHERE id = $1"};

constexpr postgres::statement user_providers{
    "identity_providers_of",
    "SELECT provider FROM identities WHERE user_id = $1 ORDER BY last_used_at DESC, provider"};
constexpr auto find_open_invitation_sql =
    sql("SELECT EXISTS (SELECT FROM one_time_secrets s JOIN invitations v ON v.id = s.invitation_id"
        " WHERE s.digest = $1 AND",
        invitation_is_open, "AND", inviter_may_invite, ")");
constexpr postgres::statement find_open_invitation{"identity_find_invitation", find_open_invitation_sql};

std::string account_name(identity const& person) {
  return person.name.empty() ? person.email.substr(0, person.email.find('@')) : person.name;
}

boost::json::object provider_details(identity const& person) {
  return {{"provider", person.provider}};
}

postgres::query insert_identity_query(uuid user, identity const& person) {
  return {insert_identity, postgres::parameters(user, person.provider, person.issuer, person.subject, person.email)};
}

postgres::query facts_query(identity const& person) {
  return {read_identity_facts, postgres::parameters(person.issuer, person.subject, person.email, person.provider)};
}

postgres::query lock_people_query(identity const& person) {
  return {lock_people, postgres::parameters(person.issuer, person.subject, person.email)};
}

/// Ends every other method of the account, and its sessions.
task<> take_over(postgres::unit_of_work& tx, opening& sign_in, identity const& person) {
  std::vector<postgres::query> batch{{delete_former_identities, postgres::parameters(sign_in.user)},
                                     {delete_former_password, postgres::parameters(sign_in.user)},
                                     // A link would be another method.
                                     end_links_query(sign_in.user)};
  std::vector<postgres::rows> const done = settled(co_await tx.run(std::move(batch)));
  for (int i = 0; i < done[0].size(); ++i)
    sign_in.audits.push_back(
        account_audit({}, "identity.removed", "user", sign_in.user,
                      boost::json::serialize(boost::json::object{{"provider", done[0][i].text(0)}})));
  auto details = provider_details(person);
  details["passwordRemoved"] = !done[1].empty();
  details["linksEnded"] = done[2].size();
  sign_in.audits.push_back(
      account_audit({}, "identity.linked", "user", sign_in.user, boost::json::serialize(details)));
  sign_in.ends = sign_in.changes.size();
  sign_in.end_reason = session_end::provider;
  sign_in.changes.push_back(end_sessions_query(sign_in.user, std::nullopt, session_end::provider));
  sign_in.changes.push_back(verify_email_query(sign_in.user));
  sign_in.changes.push_back(insert_identity_query(sign_in.user, person));
}

/// Gives the account what its invitation promises.
task<std::vector<role_change>> accept_invited(postgres::unit_of_work& tx, opening& sign_in,
                                              locked_invitation invitation) {
  sign_in.changes.push_back(accept_invitation_query(invitation.id, sign_in.user));
  sign_in.audits.push_back(invitation_audit("accepted", invitation.organization, invitation.id, {}));
  return invited_roles(tx, std::move(invitation));
}

/// Returns true if one of the roles belongs to the organization itself.
bool is_member(std::vector<held_role> const& held, uuid organization) {
  return std::ranges::any_of(
      held, [&](held_role const& each) { return each.place.organization == organization && !each.place.project; });
}

/// `details` has the reason, because the sentence names the person's address, which no log has.
error refused_identity(identity_refusal reason, identity const& person) {
  return {
      errc::sign_in_refused, refusal_sentence(reason, person.email), {{"reason", std::string(to_string(reason))}}};
}

error banned_account() {
  return {errc::sign_in_refused,
          "This account is disabled. An operator of this service can enable it.",
          {{"reason", "disabled"}}};
}

error full_organization() {
  return {errc::member_limit_reached,
          "Your organization has its maximum of members. Its administrators can remove some, or ask an "
          "operator of this service."};
}

/// The answers of the first statements of a sign-in.
struct looked_up {
  identity_facts facts;
  std::vector<placed_role> roles;  ///< that the configuration gives
  std::optional<locked_invitation> invitation;
};

task<looked_up> look_up(postgres::unit_of_work& tx, identity const& person, identity_terms const& terms) {
  // An invitation cannot have an empty digest, so without one nothing is found.
  byte_vector const secret =
      terms.invitation ? byte_vector(terms.invitation->begin(), terms.invitation->end()) : byte_vector();
  std::vector<postgres::query> batch{lock_people_query(person), facts_query(person), resolve_roles_query(terms.roles),
                                     lock_inviting_organization_query(secret),
                                     lock_invitation_query(secret, person.email)};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(batch)));
  looked_up out{.facts = {}, .roles = highest_roles(read_placed_roles(found[2], terms.roles)), .invitation = {}};
  if (!found[4].empty()) out.invitation = read_locked_invitation(found[4].front());
  postgres::row const r = found[1].front();
  out.facts = {.email_is_verified = terms.email_is_verified,
               .domain_is_managed = terms.domain_is_managed,
               .domain_is_foreign = terms.domain_is_foreign,
               .gives_membership = !out.roles.empty(),
               .known_user = r.maybe_id(0),
               .email_account = r.maybe_id(1),
               .account_has_identity = r.boolean(2),
               .invitation_fits = out.invitation && out.invitation->fits};
  co_return out;
}

/// The roles that the sign-in changes. A provider that maps no groups gives its roles once, to people who join.
std::vector<role_change> changes_of(identity_terms const& terms, std::vector<placed_role> const& wanted,
                                    std::vector<held_role> const& held, bool joins) {
  if (terms.manages_roles) return role_changes(held, wanted);
  auto out = released_roles(held);
  if (!joins) return out;
  for (auto& each : role_changes(held, wanted))
    if (each.kind == role_change_kind::grant) out.push_back(std::move(each));
  return out;
}

}  // namespace

task<std::optional<change<signed_in>>> identity_store::attempt(identity person, identity_terms terms,
                                                               new_session session, deadline until) {
  using answer = std::optional<change<signed_in>>;
  postgres::unit_of_work tx = co_await db_.begin(until);
  auto const found = co_await look_up(tx, person, terms);
  auto const decision = decide_identity(found.facts, person.email);
  if (decision.action == identity_action::refuse) co_return answer(refused_identity(decision.reason, person));

  opening sign_in{
      .user = decision.user.value_or(uuid::generate_v7()), .name = {}, .email = {}, .session = std::move(session)};
  if (decision.action == identity_action::create) {
    std::vector<postgres::query> batch{
        {insert_account_subject, postgres::parameters(sign_in.user)},
        {insert_account, postgres::parameters(sign_in.user, person.email, account_name(person))},
        insert_identity_query(sign_in.user, person)};
    auto const made = co_await tx.run(std::move(batch));
    if (!made && made.error().unique_violation()) co_return std::nullopt;
    static_cast<void>(settled(made));
    boost::json::object const details{
        {"email", person.email}, {"name", account_name(person)}, {"provider", person.provider}};
    sign_in.audits.push_back(
        account_audit({}, "user.created", "user", sign_in.user, boost::json::serialize(details)));
  }
  std::vector<postgres::query> batch{lock_account_query(sign_in.user), held_roles_query(sign_in.user)};
  std::vector<postgres::rows> const account = settled(co_await tx.run(std::move(batch)));
  if (account[0].front().boolean(1)) co_return answer(banned_account());
  sign_in.name = account[0].front().text(2);
  sign_in.email = account[0].front().text(3);
  if (decision.action == identity_action::join) co_await take_over(tx, sign_in, person);
  if (decision.action == identity_action::sign_in)
    sign_in.changes.push_back({use_identity, postgres::parameters(person.issuer, person.subject, person.email)});

  auto const held = read_held_roles(account[1]);
  auto changes = changes_of(terms, found.roles, held, decision.action != identity_action::sign_in);
  // An account is asked for nothing more if the sign-in that the invitation started proves its address.
  std::vector<role_change> invited;
  if (found.facts.invitation_fits && found.facts.email_is_verified &&
      lower_case(sign_in.email) == lower_case(person.email) && !is_member(held, found.invitation->organization))
    invited = co_await accept_invited(tx, sign_in, *found.invitation);
  // A role by hand, as an invitation's, wins over a mapped one.
  std::erase_if(changes, [&](role_change const& each) {
    return std::ranges::any_of(invited, [&](role_change const& other) {
      return other.place.organization == each.place.organization && other.place.project == each.place.project;
    });
  });
  // All at once: sign-ins that lock the same organizations in several steps could wait for each other.
  std::vector<role_change> all = invited;
  all.insert(all.end(), changes.begin(), changes.end());
  if (!all.empty()) {
    std::vector<postgres::query> locks{lock_changed_query(all), owned_organizations_query(sign_in.user)};
    std::vector<postgres::rows> const locked = settled(co_await tx.run(std::move(locks)));
    drop_changes_of_owners(changes, read_ids(locked[1]));
  }
  for (auto const* const joined : {&invited, &changes}) {
    if (most_members_ == 0 || !joins_organization(*joined)) continue;
    postgres::rows const full = settled(co_await tx.run(full_organizations_query(*joined, most_members_)));
    if (!full.empty()) co_return answer(full_organization());
  }
  add_role_changes(sign_in, invited, "");
  add_role_changes(sign_in, changes, terms.manages_roles ? person.provider : "");
  co_return co_await open_session(tx, std::move(sign_in), times_.absolute);
}

task<change<signed_in>> identity_store::sign_in(identity person, identity_terms terms, new_session session,
                                                deadline until) {
  for (int tries = 0; tries < most_attempts_at_account; ++tries)
    if (auto done = co_await attempt(person, terms, session, until)) co_return std::move(*done);
  throw unavailable("other requests repeatedly created the account");
}

task<change<signed_in>> identity_store::refresh(identity person, uuid session, new_session fresh, deadline until) {
  using answer = change<signed_in>;
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> batch{
      lock_people_query(person), facts_query(person), {user_of_session, postgres::parameters(session)}};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(batch)));
  if (found[2].empty()) co_return answer(errc::session_ended);
  identity_facts const facts{.known_user = found[1].front().maybe_id(0), .refreshed_user = found[2].front().id(0)};
  auto const decision = decide_identity(facts, person.email);
  if (decision.action == identity_action::refuse) co_return answer(refused_identity(decision.reason, person));
  auto const user = *decision.user;
  std::vector<postgres::query> last{lock_account_query(user),
                                    {use_identity, postgres::parameters(person.issuer, person.subject, person.email)},
                                    {refresh_by_identity, postgres::parameters(session, user, byte_view(fresh.digest),
                                                                               fresh.method, fresh.provider)}};
  std::vector<postgres::rows> const done = settled(co_await tx.run(std::move(last)));
  if (done[0].front().boolean(1)) co_return answer(banned_account());
  if (done[2].empty()) co_return answer(errc::session_ended);
  audit_actor const actor{.user = user,
                          .name = std::string(done[0].front().text(2)),
                          .ip = fresh.ip,
                          .user_agent = fresh.user_agent,
                          .request_id = fresh.request_id,
                          .session = session};
  boost::json::object const details{{"method", fresh.method}, {"provider", fresh.provider}};
  std::vector<postgres::query> end{
      bump_query({user}),
      audit_query(account_audit(actor, "session.refreshed", "session", session, boost::json::serialize(details)))};
  std::vector<postgres::rows> const ended = settled(co_await tx.commit(std::move(end)));
  co_return answer(signed_in{.user = user,
                             .session = session,
                             .name = actor.name,
                             .email = std::string(done[0].front().text(3)),
                             .created_at = done[2].front().time(0),
                             .expires_at = done[2].front().time(1)},
                   read_epochs(ended[0]));
}

task<std::vector<std::string>> identity_store::providers_of(uuid user, deadline until) {
  postgres::query ask{user_providers, postgres::parameters(user)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<std::string> out;
  for (int i = 0; i < found.size(); ++i) out.emplace_back(found[i].text(0));
  co_return out;
}

task<bool> identity_store::has_open_invitation(sha256_digest secret, deadline until) {
  postgres::query ask{find_open_invitation, postgres::parameters(byte_view(secret))};
  co_return settled(co_await db_.run(std::move(ask), until)).front().boolean(0);
}

}  // namespace svc::store
