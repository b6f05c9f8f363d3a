#include "svc/api/call.hpp"

#include "api/conditional_request.hpp"

#include <algorithm>
#include <stdexcept>

namespace svc::api {
namespace {

std::optional<std::string_view> value_of(http::parameter_list const& list, std::string_view name) {
  auto const found = std::find_if(list.begin(), list.end(), [&](auto const& p) { return p.first == name; });
  if (found == list.end()) return std::nullopt;
  return found->second;
}

/// Returns the roles that have the operation's permission in its scope.
std::vector<std::string> roles_for(http::operation const& op) {
  switch (op.scope) {
    case session_scope_kind::user:
      return {};
    case session_scope_kind::organization:
      return organization_roles_with(parse_organization_permission(op.permission));
    case session_scope_kind::project:
      break;
  }
  return roles_with(parse_permission(op.permission));
}

}  // namespace

uuid call::path_id(std::string_view name) const {
  auto const text = value_of(path, name);
  auto const id = text ? uuid::parse(*text) : std::nullopt;
  if (!id) throw std::logic_error("the contract has no such path id: " + std::string(name));
  return *id;
}

std::optional<std::string_view> call::query_value(std::string_view name) const {
  return value_of(query, name);
}

boost::json::value const* call::member(std::string_view name) const {
  return body.is_object() ? body.get_object().if_contains(name) : nullptr;
}

audit_actor call::actor() const {
  auto out = actor_of(caller, secret, request, request_id, roles_for(operation));
  out.audited = audited;
  return out;
}

version_condition call::expected_versions() const {
  return asked_versions(request);
}

audit_actor actor_of(principal const& caller, std::optional<sha256_digest> secret, http::request const& request,
                     std::string const& request_id, std::vector<std::string> roles) {
  audit_actor out{.user = caller.owner_id,
                  .name = caller.owner_name,
                  .ip = request.client_address,
                  .user_agent = std::string(request.find("User-Agent").value_or("").substr(0, 500)),
                  .request_id = request_id,
                  .permit = write_permit{.token = caller.token_id,
                                         .subject = caller.subject,
                                         .epoch = caller.epoch,
                                         .roles = std::move(roles),
                                         .secret = secret}};
  if (!caller.session) {
    out.token = caller.token_id;
    return out;
  }
  out.session = caller.token_id;
  session_place place;
  auto const kind = caller.session->presented.scope.kind;
  if (kind == session_scope_kind::project) place.project = caller.project_id;
  if (kind != session_scope_kind::user) place.organization = caller.organization_id;
  out.permit->session = place;
  return out;
}

}  // namespace svc::api
