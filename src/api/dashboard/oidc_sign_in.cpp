// Sign-in with identity providers: the methods of the sign-in page, the start of a flow, and the browser's return.
#include "api/audit_announcement.hpp"
#include "api/dashboard/sign_in.hpp"
#include "api/replies.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/api/sign_in_services.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/log.hpp"
#include "svc/domain/token.hpp"
#include "svc/http/error_table.hpp"
#include "svc/http/target.hpp"
#include "svc/sign_in/browser_input.hpp"
#include "svc/sign_in/cookies.hpp"
#include "svc/sign_in/oidc/identity_rules.hpp"
#include "svc/store/repositories.hpp"

#include <algorithm>

namespace svc::api {
namespace {

using oidc_verdict = sign_in_services::verdict;
using sign_in::oidc_client;
using sign_in::oidc_failure;
using sign_in::oidc_flow;

constexpr std::string_view by_oidc = "oidc";

/// Sign-ins with one provider count as one organization, so that a provider that hangs takes at most a quarter of the
/// waiting slots.
uuid wait_owner(std::string_view provider) {
  auto const digest = sha256(provider);
  uuid out;
  std::ranges::copy_n(digest.begin(), static_cast<std::ptrdiff_t>(out.bytes.size()), out.bytes.begin());
  return out;
}

std::string provider_in_path(call const& c) {
  auto const found = std::ranges::find(c.path, "provider", &std::pair<std::string, std::string>::first);
  return found == c.path.end() ? std::string() : found->second;
}

error start_error(oidc_failure failure) {
  if (failure == oidc_failure::busy) return errc::overloaded;
  return {
      errc::unavailable,
      "The identity provider cannot be used at the moment. Try again, or ask an operator of this service, whose log "
      "has the reason."};
}

/// Returns the code that the sign-in page shows for a failure of the provider or of its answer.
std::string_view page_code(oidc_failure failure) {
  switch (failure) {
    case oidc_failure::busy:
    case oidc_failure::unreachable:
    case oidc_failure::answer_invalid:
    case oidc_failure::unsupported:
    case oidc_failure::client_refused:
      return "provider_unavailable";
    default:
      return "sign_in_refused";
  }
}

/// Returns a new flow that returns to the page of the request's body.
result<oidc_flow> requested_flow(call const& c, std::string_view provider) {
  std::string_view const page = c.member("returnTo")->as_string();
  if (!sign_in::is_return_path(page))
    return error(errc::validation_failed, {},
                 {{"/returnTo", "must be a path of the service's own pages, such as /app/jobs"}});
  return sign_in::new_flow(provider, page, sign_in::seconds_now());
}

/// Sends the browser to the provider. The flow waits in a cookie that is sealed.
task<result<reply>> start_flow(call& c, oidc_flow flow) {
  auto& parts = c.use.sign_in.parts();
  auto const content = sign_in::write_flow(flow);
  if (content.reveal().size() > sign_in::cookie_sealer::longest_content)
    co_return error(errc::validation_failed, {}, {{"/returnTo", "is too long for the cookie of the sign-in"}});
  auto const slot = c.use.outside.enter(wait_owner(flow.provider));
  if (!slot) co_return slot.error();
  auto const url = co_await parts.providers.start(std::move(flow));
  if (!url) co_return start_error(url.error().failure);
  auto const sealed = parts.cookies.seal(sign_in::flow_cookie, content.reveal(),
                                         parts.now() + std::chrono::microseconds(sign_in::flow_life));
  http::json_text out;
  out.member("location", *url);
  reply answer{.text = out.take()};
  answer.fields.emplace_back(
      "Set-Cookie", sign_in::set_cookie(sign_in::flow_cookie, sealed, sign_in::same_site::lax, sign_in::flow_life));
  co_return answer;
}

/// Returns the flow that this browser has started; a cookie in doubt counts as none.
std::optional<oidc_flow> presented_flow(call const& c) {
  auto const& parts = c.use.sign_in.parts();
  auto const content =
      parts.cookies.open(sign_in::flow_cookie, presented_cookie(c.request, sign_in::flow_cookie), parts.now());
  return content ? sign_in::read_flow(content->reveal()) : std::nullopt;
}

reply redirect_to(call const& c, std::string_view page) {
  reply answer{.status = 303};
  answer.fields.emplace_back("Location", location_of(c.use.public_url, page));
  return answer;
}

void clear_flow(reply& answer) {
  answer.fields.emplace_back("Set-Cookie", sign_in::clear_cookie(sign_in::flow_cookie, sign_in::same_site::lax));
}

/// The end of a flow without a session. The code is one of ours, so it needs no encoding.
reply failed_redirect(call& c, std::string_view code, oidc_verdict outcome = oidc_verdict::failed) {
  c.use.sign_in.count_sign_in(by_oidc, outcome);
  auto answer = redirect_to(c, std::string("/app/sign-in?error=").append(code));
  clear_flow(answer);
  return answer;
}

/// A callback that does not belong to the browser's flow. The cookie stays, because otherwise any page could end a
/// sign-in that is in progress.
reply foreign_redirect(call& c) {
  c.use.sign_in.count_sign_in(by_oidc, oidc_verdict::failed);
  return redirect_to(c, "/app/sign-in?error=sign_in_refused");
}

/// The account, the organization or the session refuses the person. The page shows the code only, because an address
/// in a URL would stay in the browser's history; the operator finds the reason in the log.
reply refused_redirect(call& c, std::string_view provider, error const& refusal) {
  auto const code = http::row_of(refusal.code).name;
  log::info("a sign-in with an identity provider was refused",
            {{"requestId", c.request_id},
             {"provider", provider},
             {"code", code},
             {"reason", refusal.details.empty() ? code : std::string_view(refusal.details.front().message)}});
  return failed_redirect(c, code, oidc_verdict::refused);
}

store::identity_terms terms_of(sign_in::oidc_settings const& settings, identity const& person,
                               oidc_flow const& flow) {
  auto const rules = sign_in::rules_for(settings, person);
  store::identity_terms out{.email_is_verified = rules.email_is_verified,
                            .domain_is_managed = rules.domain_is_managed,
                            .domain_is_foreign = rules.domain_is_foreign,
                            .manages_roles = rules.manages_roles};
  for (auto const& each : rules.roles)
    out.roles.push_back({.organization = each.organization, .project = each.project, .role = each.role});
  if (auto const secret = read_invitation_secret(flow.invitation.reveal())) out.invitation = *secret;
  return out;
}

/// Signs the person in, or makes the session fresh from which the flow started.
task<store::change<store::signed_in>> complete_sign_in(call& c, oidc_flow const& flow, identity person,
                                                       store::new_session session, deadline until) {
  auto& identities = c.use.stores.identities;
  if (flow.session)
    co_return co_await identities.refresh(std::move(person), *flow.session, std::move(session), until);
  auto terms = terms_of(c.use.sign_in.parts().providers.settings(), person, flow);
  co_return co_await identities.sign_in(std::move(person), std::move(terms), std::move(session), until);
}

}  // namespace

task<result<reply>> get_sign_in_methods(call& c) {
  auto& parts = c.use.sign_in.parts();
  http::json_text out;
  out.member("password", parts.hasher != nullptr).open_list("oidc");
  for (auto const& each : parts.providers.settings().providers)
    out.open_element().member("id", each.id).member("name", each.name).close();
  out.close_list().member("recovery", c.use.sign_in.recovers());
  co_return reply{.text = out.take()};
}

task<result<reply>> start_oidc_sign_in(call& c) {
  auto const provider = provider_in_path(c);
  if (c.use.sign_in.parts().providers.settings().find(provider) == nullptr) co_return errc::not_found;
  auto flow = requested_flow(c, provider);
  if (!flow) co_return flow.error();
  flow->replaced = presented_session_digest(c.request);
  if (auto const* const invitation = c.member("invitation")) {
    auto const secret = read_invitation_secret(invitation->as_string());
    if (!secret) co_return secret.error();
    if (!co_await c.use.stores.identities.has_open_invitation(*secret, c.until)) co_return errc::link_over;
    flow->invitation = secret_string(std::string_view(invitation->as_string()));
  }
  co_return co_await start_flow(c, std::move(*flow));
}

task<result<reply>> start_fresh_oidc_sign_in(call& c) {
  auto const known = co_await c.use.stores.identities.providers_of(c.caller.owner_id, c.until);
  std::string chosen;
  for (auto const& each : known) {
    if (c.use.sign_in.parts().providers.settings().find(each) == nullptr) continue;
    if (chosen.empty() || each == c.caller.session->provider) chosen = each;
  }
  if (chosen.empty())
    co_return error(errc::sign_in_refused,
                    "No identity provider of this service knows your account. Confirm your identity with your "
                    "password, or sign in with the provider of your address.");
  auto flow = requested_flow(c, chosen);
  if (!flow) co_return flow.error();
  flow->session = c.caller.token_id;
  co_return co_await start_flow(c, std::move(*flow));
}

task<result<reply>> finish_oidc_sign_in(call& c) {
  // The provider answers outside of `http.deadline`, so the later steps have a later deadline too.
  auto const until = outside_deadline(oidc_client::operation_limit);
  auto flow = presented_flow(c);
  // Each provider has a path of its own, so that none can answer in place of another (RFC 9700 4.4.2).
  if (!flow || flow->provider != provider_in_path(c)) co_return foreign_redirect(c);
  auto const target = http::parse_target(c.request.target, c.request.find("Host").value_or(""), c.request.method);
  if (!target) co_return target.error();
  auto const slot = c.use.outside.enter(wait_owner(flow->provider));
  if (!slot) co_return failed_redirect(c, http::row_of(errc::overloaded).name);
  auto person = co_await c.use.sign_in.parts().providers.finish(*flow, target->query);
  if (!person && person.error().failure == oidc_failure::state_mismatch) co_return foreign_redirect(c);
  if (!person) co_return failed_redirect(c, page_code(person.error().failure));

  auto [session, key] = make_browser_session(c, by_oidc, flow->provider);
  if (flow->replaced) session.replaced = flow->replaced;
  // The pipeline collects the changes of no GET.
  audit_announcement const announcement(c.use.feed.publisher, true);
  session.audited = announcement.audited();
  auto done = co_await complete_sign_in(c, *flow, std::move(*person), std::move(session), until);
  if (!done.outcome) {
    announcement.audited()->clear();
    co_return refused_redirect(c, flow->provider, done.outcome.error());
  }
  c.use.sign_in.count_sign_in(by_oidc, oidc_verdict::succeeded);
  auto answer = redirect_to(c, flow->return_to);
  clear_flow(answer);
  co_return co_await with_session(c, std::move(done), std::move(key), std::move(answer));
}

}  // namespace svc::api
