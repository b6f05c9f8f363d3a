#include "api/entity_tag.hpp"

#include "svc/core/bytes.hpp"
#include "svc/core/hash.hpp"
#include "svc/http/json.hpp"

#include <array>

namespace svc::api {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 3> of_last_use{"lastUsedAt", "lastUsedIp", "lastUsed"};
constexpr std::string_view suffix = "-gzip";

bool tells_of_use(json::object const& of) {
  for (auto const name : of_last_use)
    if (of.contains(name)) return true;
  return false;
}

/// Calls `visit` with each object that can be a resource: the body, what it wraps, the rows of a list. Members deeper
/// down are the user's own, whatever they are called.
template <class Body, class Visit>
void each_resource(Body& body, Visit const& visit) {
  if (!body.is_object()) return;
  visit(body.get_object());
  for (auto& [name, child] : body.get_object()) {
    if (child.is_object()) visit(child.get_object());
    if (name != "data" || !child.is_array()) continue;
    for (auto& row : child.get_array())
      if (row.is_object()) visit(row.get_object());
  }
}

/// The text that is hashed.
std::string lasting_text(json::value const& body) {
  json::value lasting(body, json::storage_ptr());
  each_resource(lasting, [](json::object& of) {
    for (auto const name : of_last_use) of.erase(name);
  });
  return http::to_json(lasting);
}

}  // namespace

std::string entity_tag_of(std::int64_t version, json::value const& body, std::string_view text) {
  bool used = false;
  each_resource(body, [&used](json::object const& of) { used = used || tells_of_use(of); });
  auto const hash = used ? sha256(lasting_text(body)) : sha256(text);
  return "\"" + std::to_string(version) + "-" + to_hex(byte_view(hash).first(8)) + "\"";
}

std::string encoded_tag(std::string_view tag) {
  return std::string(tag.substr(0, tag.size() - 1)).append(suffix).append("\"");
}

bool same_entity(std::string_view opaque, std::string_view tag) {
  if (opaque.ends_with(suffix)) opaque.remove_suffix(suffix.size());
  return opaque == tag.substr(1, tag.size() - 2);
}

}  // namespace svc::api
