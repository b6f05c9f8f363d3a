#include "api/conditional_request.hpp"

#include "svc/core/bytes.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/numbers.hpp"
#include "svc/http/headers.hpp"
#include "svc/http/json.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

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

/// Calls `visit` with each object that can be a resource: the body, what it wraps, the rows of a list. Objects deeper
/// down hold the user's own members, whatever they are called.
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

/// The text to hash: the body without the members that show its last use.
std::string lasting_text(json::value const& body) {
  json::value lasting(body, json::storage_ptr());
  each_resource(lasting, [](json::object& of) {
    for (auto const name : of_last_use) of.erase(name);
  });
  return http::to_json(lasting);
}

/// The field's list, if it is there and can be read.
std::optional<http::entity_tags> tags_of(http::request const& head, std::string_view name) {
  auto const read = http::read_entity_tags(head, name);
  return read ? *read : std::nullopt;
}

/// The version stands before the dash. Weak tags match nothing in If-Match (13.1.1) but can match in If-None-Match
/// (13.1.2).
std::vector<std::int64_t> versions_in(std::vector<http::entity_tag> const& tags, bool weak_too) {
  std::vector<std::int64_t> versions;
  for (auto const& tag : tags) {
    auto const version = parse_number<std::int64_t>(tag.opaque.substr(0, tag.opaque.find('-')));
    if (version && (weak_too || !tag.weak)) versions.push_back(*version);
  }
  return versions;
}

/// The ETag of an answer that conditions apply to; null for any other answer.
std::string const* tag_of(http::request const& head, http::response const& out) {
  if (out.status != 200 || !reads(head)) return nullptr;
  auto const found = std::ranges::find(out.fields, "ETag", [](auto const& f) { return f.first; });
  return found == out.fields.end() ? nullptr : &found->second;
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

bool reads(http::request const& head) {
  return head.method == "GET" || head.method == "HEAD";
}

result<> check_conditions(http::request const& head) {
  if (auto const tags = http::read_entity_tags(head, "If-Match"); !tags) return tags.error();
  if (reads(head)) return {};
  if (auto const tags = http::read_entity_tags(head, "If-None-Match"); !tags) return tags.error();
  return {};
}

version_condition asked_versions(http::request const& head) {
  version_condition out;
  if (auto const wanted = tags_of(head, "If-Match"); wanted && !wanted->any)
    out.match = versions_in(wanted->tags, false);
  auto const unwanted = tags_of(head, "If-None-Match");
  if (!unwanted) return out;
  // `*` excludes every version: the resource to change exists.
  if (unwanted->any) out.match.emplace();
  out.none_match = versions_in(unwanted->tags, true);
  return out;
}

bool matches(http::request const& head, http::response const& out) {
  auto const* const etag = tag_of(head, out);
  auto const wanted = tags_of(head, "If-Match");
  if (etag == nullptr || !wanted || wanted->any) return true;
  return std::ranges::any_of(wanted->tags,
                             [&](auto const& tag) { return !tag.weak && same_entity(tag.opaque, *etag); });
}

bool not_modified(http::request const& head, http::response const& out) {
  auto const* const etag = tag_of(head, out);
  auto const known = tags_of(head, "If-None-Match");
  if (etag == nullptr || !known) return false;
  return known->any ||
         std::ranges::any_of(known->tags, [&](auto const& tag) { return same_entity(tag.opaque, *etag); });
}

}  // namespace svc::api
