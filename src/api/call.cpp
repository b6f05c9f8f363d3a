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
  return actor_of(caller, secret, request, request_id, parse_permission(operation.permission));
}

version_condition call::expected_versions() const {
  return asked_versions(request);
}

audit_actor actor_of(principal const& caller, std::optional<sha256_digest> secret, http::request const& request,
                     std::string const& request_id, std::optional<permission> needed) {
  return {caller.owner_id,
          caller.owner_name,
          caller.token_id,
          request.client_address,
          std::string(request.find("User-Agent").value_or("").substr(0, 500)),
          request_id,
          write_permit{caller.token_id, caller.subject, caller.epoch, roles_with(needed), secret}};
}

}  // namespace svc::api
