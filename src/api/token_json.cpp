#include "api/token_json.hpp"

namespace svc::api {

namespace {

boost::json::value time_or_null(std::optional<timestamp> const& t) {
  if (!t) return nullptr;
  return boost::json::value(to_rfc3339(*t));
}

boost::json::value text_or_null(std::optional<std::string> const& text) {
  if (!text) return nullptr;
  return boost::json::value(*text);
}

}  // namespace

boost::json::object token_json(store::stored_token const& t) {
  boost::json::object out{{"id", t.id.to_string()}, {"name", t.name}, {"start", t.start}, {"enabled", t.enabled}};
  if (t.expires_at) out["expiresAt"] = to_rfc3339(*t.expires_at);
  out["createdAt"] = to_rfc3339(t.created_at);
  out["updatedAt"] = to_rfc3339(t.updated_at);
  out["lastUsedAt"] = time_or_null(t.last_used_at);
  out["lastUsedIp"] = text_or_null(t.last_used_ip);
  out["createdBy"] = {{"id", t.created_by.to_string()}, {"name", t.created_by_name}};
  if (t.previous) out["previous"] = {{"start", t.previous->start}, {"expiresAt", to_rfc3339(t.previous->expires_at)}};
  return out;
}

boost::json::value rate_json(std::optional<window_limit> const& rate) {
  if (!rate) return nullptr;
  return {{"limit", rate->limit}, {"windowSeconds", rate->seconds}};
}

}  // namespace svc::api
