// Invitations: as administrators manage them, and as invited people accept them.
#include "api/call_options.hpp"
#include "api/dashboard/sign_in.hpp"
#include "svc/access/epoch_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/api/sign_in_services.hpp"
#include "svc/domain/display_text.hpp"
#include "svc/domain/token.hpp"
#include "svc/sign_in/browser_input.hpp"
#include "svc/sign_in/oidc/identity_rules.hpp"
#include "svc/store/repositories.hpp"

#include <algorithm>
#include <array>

namespace svc::api {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_invited_name = 255;

/// An invitation has no versions; only its renewal and its end change it.
constexpr std::int64_t invitation_version = 1;

void invitation_json(http::json_text& out, store::shown_invitation const& invitation) {
  out.member("id", invitation.id)
      .member("email", invitation.email)
      .member("role", invitation.role)
      .stored_member("projects", invitation.projects)
      .member("state", invitation.state)
      .open("invitedBy")
      .member("id", invitation.inviter)
      .member("name", invitation.inviter_name)
      .close();
  if (auto const& mail = invitation.delivery)
    out.open("delivery")
        .member("state", mail->state)
        .member("attempts", mail->attempts)
        .member("reason", mail->reason)
        .close();
  else
    out.member("delivery", std::optional<std::string>());
  out.member("createdAt", invitation.created_at)
      .member("expiresAt", invitation.expires_at)
      .member("acceptedAt", invitation.accepted_at);
}

void organization_json(http::json_text& out, store::invitation_preview const& invitation) {
  out.open("organization")
      .member("id", invitation.organization)
      .member("slug", invitation.organization_slug)
      .member("name", invitation.organization_name)
      .close();
}

/// The contract has only these.
role project_role_named(std::string_view text) {
  constexpr std::array roles{role::project_viewer, role::project_editor, role::project_admin};
  auto const found = std::ranges::find_if(roles, [&](role each) { return to_string(each) == text; });
  return found == roles.end() ? role::none : *found;
}

/// Returns the roles in projects of the body, each project once.
result<std::vector<store::invited_project>> projects_in(call const& c) {
  std::vector<store::invited_project> out;
  auto const* const wanted = c.member("projects");
  if (wanted == nullptr) return out;
  for (json::value const& each : wanted->as_array()) {
    auto const id = uuid::parse(std::string_view(each.at("projectId").as_string()));
    auto const field = "/projects/" + std::to_string(out.size()) + "/projectId";
    if (!id) return error(errc::validation_failed, {}, {{field, "must be a UUID"}});
    if (std::ranges::find(out, *id, &store::invited_project::project) != out.end())
      return error(errc::validation_failed, {}, {{field, "names the same project as an earlier one"}});
    out.push_back({*id, project_role_named(each.at("role").as_string())});
  }
  return out;
}

result<store::new_invitation> invitation_in(call const& c) {
  auto email = sign_in::normalised_email(c.member("email")->as_string());
  if (!email) return error(errc::validation_failed, {}, {{"/email", "must be an e-mail address"}});
  auto projects = projects_in(c);
  if (!projects) return projects.error();
  return store::new_invitation{.email = std::move(*email),
                               .role = parse_organization_role(c.member("role")->as_string()),
                               .projects = std::move(*projects)};
}

/// Counts a creation or a renewal for the organisation. Fails with too_many_attempts.
task<result<>> counted_invitation(call& c) {
  auto const window = co_await c.use.sign_in.parts().windows.count(rate_class::invitations,
                                                                   c.caller.organization_id.to_string(), c.until);
  if (window.admitted) co_return result<>();
  *c.limit = window;
  co_return errc::too_many_attempts;
}

/// Returns the secret that the inviter copies, or nothing if the service mails one.
std::optional<minted_token> copied_secret(call const& c) {
  auto const* const delivery = c.member("delivery");
  bool const copies = delivery != nullptr && delivery->as_string() == "copy";
  if (c.use.sign_in.parts().sends_mail && !copies) return std::nullopt;
  return mint_invitation_secret();
}

std::optional<sha256_digest> digest_of(std::optional<minted_token> const& copied) {
  return copied ? std::optional(copied->digest) : std::nullopt;
}

store::member_editor inviter_of(call const& c) {
  return {.actor = c.actor(), .role = c.caller.session->in_organization};
}

/// The invitation with the link, which no later answer shows.
reply sent_invitation(call const& c, store::shown_invitation const& invitation,
                      std::optional<minted_token> const& copied) {
  http::json_text out;
  invitation_json(out, invitation);
  std::optional<std::string> link;
  if (copied) link = c.use.public_url + "/app/invitation#" + std::string(copied->key.reveal());
  out.member("link", link);
  reply answer{.text = out.take()};
  answer.secret = true;
  return answer;
}

std::string_view invitation_text(call const& c, std::string_view name) {
  return c.member(name)->as_string();
}

/// True if the invited person may create an account with a password: no provider manages the address, and the
/// organisation admits sessions that a password opens.
bool takes_password(call const& c, store::invitation_preview const& invitation) {
  return c.use.sign_in.parts().hasher != nullptr && invitation.admits_password &&
         !c.use.sign_in.manages_address(invitation.email);
}

/// Writes the methods by which the invited person may create an account. A provider that manages the address is the
/// only one.
void invitation_methods_json(call const& c, http::json_text& out, store::invitation_preview const& invitation) {
  auto const& settings = c.use.sign_in.parts().providers.settings();
  auto const* const manager = sign_in::managing_provider(settings, invitation.email);
  auto const admitted = json::parse(invitation.providers).as_array();
  out.open("methods").member("password", takes_password(c, invitation)).open_list("oidc");
  for (auto const& each : settings.providers) {
    bool const is_admitted = admitted.empty() || std::ranges::find(admitted, json::value(each.id)) != admitted.end();
    if (is_admitted && (manager == nullptr || &each == manager))
      out.open_element().member("id", each.id).member("name", each.name).close();
  }
  out.close_list().close();
}

/// Returns the hash of the new account's password. A refusal does not spend the link.
task<result<std::string>> hash_for_invitation(call& c, store::invitation_preview const& invitation,
                                              std::string const& name) {
  auto* const hasher = c.use.sign_in.parts().hasher;
  if (invitation.has_account) co_return errc::account_exists;
  if (!takes_password(c, invitation))
    co_return error(errc::sign_in_refused,
                    "This invitation takes no password; accept it with an identity provider of the organization.");
  auto words = known_words(c, name, invitation.email);
  words.push_back(invitation.organization_name);
  co_return co_await hasher->hash_new(secret_string(invitation_text(c, "password")), std::move(words), c.until);
}

}  // namespace

task<result<reply>> list_invitations(call& c) {
  auto const found = co_await c.use.stores.invitations.list(c.caller.organization_id, c.page(), c.until);
  co_return page_reply(c, found, invitation_json);
}

task<result<reply>> create_invitation(call& c) {
  auto wanted = invitation_in(c);
  if (!wanted) co_return wanted.error();
  if (auto const counted = co_await counted_invitation(c); !counted) co_return counted.error();
  auto const copied = copied_secret(c);
  auto const made = co_await c.use.stores.invitations.create(c.caller.organization_id, std::move(*wanted),
                                                             digest_of(copied), inviter_of(c), c.until);
  if (!made) co_return made.error();
  auto answer = sent_invitation(c, *made, copied);
  answer.status = 201;
  co_return answer;
}

task<result<reply>> renew_invitation(call& c) {
  if (auto const counted = co_await counted_invitation(c); !counted) co_return counted.error();
  auto const copied = copied_secret(c);
  auto const made = co_await c.use.stores.invitations.renew(c.caller.organization_id, c.path_id(), digest_of(copied),
                                                            inviter_of(c), c.until);
  if (!made) co_return made.error();
  co_return sent_invitation(c, *made, copied);
}

task<result<reply>> revoke_invitation(call& c) {
  if (!c.expected_versions().allows(invitation_version)) co_return errc::precondition_failed;
  auto const done =
      co_await c.use.stores.invitations.revoke(c.caller.organization_id, c.path_id(), inviter_of(c), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

task<result<reply>> preview_invitation(call& c) {
  auto const secret = read_invitation_secret(invitation_text(c, "token"));
  if (!secret) co_return secret.error();
  auto const found = co_await c.use.stores.invitations.preview(*secret, c.until);
  if (!found) co_return found.error();
  http::json_text out;
  organization_json(out, *found);
  out.member("email", found->email)
      .member("role", found->role)
      .member("invitedBy", found->inviter_name)
      .member("account", found->has_account);
  invitation_methods_json(c, out, *found);
  out.member("expiresAt", found->expires_at);
  co_return reply{.text = out.take()};
}

task<result<reply>> accept_invitation(call& c) {
  auto const secret = read_invitation_secret(invitation_text(c, "token"));
  if (!secret) co_return secret.error();
  auto const found = co_await c.use.stores.invitations.preview(*secret, c.until);
  if (!found) co_return found.error();
  auto done = co_await c.use.stores.invitations.accept(*secret, c.actor(), c.until);
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  http::json_text out;
  organization_json(out, *found);
  co_return reply{.text = out.take()};
}

task<result<reply>> sign_in_by_invitation(call& c) {
  auto const secret = read_invitation_secret(invitation_text(c, "token"));
  if (!secret) co_return secret.error();
  auto name = checked_name(invitation_text(c, "name"), "/name", longest_invited_name);
  if (!name) co_return name.error();
  auto const found = co_await c.use.stores.invitations.preview(*secret, c.until);
  if (!found) co_return found.error();
  auto hash = co_await hash_for_invitation(c, *found, *name);
  if (!hash) co_return hash.error();
  auto [session, key] = make_browser_session(c, "password");
  auto done = co_await c.use.stores.invitations.accept_as_new(*secret, std::move(*name), std::move(*hash),
                                                              std::move(session), c.until);
  c.use.sign_in.count_sign_in(
      "invitation", done.outcome ? sign_in_services::verdict::succeeded : sign_in_services::verdict::failed);
  if (!done.outcome) co_return done.outcome.error();
  co_return co_await signed_in_reply(c, std::move(done), std::move(key));
}

}  // namespace svc::api
