// The gate's way for requests with the cookie of a session.
#include "svc/access/gate.hpp"

#include "svc/core/ascii.hpp"
#include "svc/domain/principal.hpp"
#include "svc/sign_in/cookies.hpp"

#include <algorithm>

namespace svc::access {
namespace {

/// Finds the session's cookie in all Cookie fields.
sign_in::cookie_search session_cookie_of(http::request const& head) {
  sign_in::cookie_search search(sign_in::session_cookie);
  for (auto const& field : head.fields)
    if (iequals(field.name, "cookie")) search.read(field.value);
  return search;
}

sign_in::received_field received(http::request const& head, std::string_view name) {
  return {head.find(name).value_or(std::string_view()), head.count(name)};
}

/// Returns the scope of a session's request, or project_required. A path id that is no UUID is refused after the
/// gate, so it needs no scope.
result<session_scope> scope_of(http::request const& head, http::route const& route) {
  switch (route.found->scope) {
    case session_scope_kind::user:
      break;
    case session_scope_kind::organization: {
      auto const id = std::ranges::find(route.path, "organizationId", &std::pair<std::string, std::string>::first);
      auto const parsed = id == route.path.end() ? std::nullopt : uuid::parse(id->second);
      if (parsed) return session_scope{session_scope_kind::organization, *parsed};
      break;
    }
    case session_scope_kind::project: {
      auto const id = head.count("Svc-Project") == 1 ? uuid::parse(*head.find("Svc-Project")) : std::nullopt;
      if (!id) return errc::project_required;
      return session_scope{session_scope_kind::project, *id};
    }
  }
  return session_scope{};
}

}  // namespace

std::optional<error> gate::cross_site_refusal(http::request const& head) {
  if (!origins_) origins_.emplace(parts_.public_url != nullptr ? std::string_view(*parts_.public_url) : "");
  auto const verdict = origins_->decide({.method = head.method,
                                         .fetch_site = received(head, "Sec-Fetch-Site"),
                                         .origin = received(head, "Origin"),
                                         .host = head.find("Host").value_or("")});
  if (verdict == sign_in::origin_verdict::own_page) return std::nullopt;
  cross_site_.add();
  return error(errc::cross_site_request, std::string(sign_in::refusal_sentence(verdict)));
}

task<gate_result> gate::pass_session(http::request const& head, http::route const& route, deadline until) {
  auto const address = address_subject(head.client_address);
  auto const cookie = session_cookie_of(head);
  if (cookie.content() == sign_in::cookie_search::outcome::none) {
    auto const failure = route.found->only_session ? errc::session_required : errc::token_required;
    co_return co_await pass_address(address, rate_class::anonymous, failure, until);
  }
  // No store is asked about a request that another site caused, or whose cookie is no secret of ours.
  if (auto refusal = cross_site_refusal(head)) co_return pass_locally(address, std::move(*refusal));
  auto const secret = read_session_secret(cookie.value());
  if (!secret) co_return pass_locally(address, secret.error());
  auto const scope = scope_of(head, route);
  if (!scope) co_return pass_locally(address, scope.error());
  co_return co_await pass_token({token_kind::session, *secret}, presented_session{*secret, *scope}, head, route,
                                until);
}

task<bool> gate::is_member(http::request const& head, uuid project, deadline until) {
  auto const cookie = session_cookie_of(head);
  if (cookie.content() != sign_in::cookie_search::outcome::found || cross_site_refusal(head)) co_return false;
  auto const secret = read_session_secret(cookie.value());
  if (!secret) co_return false;
  // The page is no operation of the contract.
  http::route const page;
  auto const passed =
      co_await pass_token({token_kind::session, *secret},
                          presented_session{*secret, {session_scope_kind::project, project}}, head, page, until);
  co_return passed.record && !passed.refusal &&
      allows(passed.record->caller.owner_role, permission::status_page_view);
}

}  // namespace svc::access
