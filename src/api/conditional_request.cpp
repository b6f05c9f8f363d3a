#include "api/conditional_request.hpp"

#include "svc/core/bytes.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/numbers.hpp"
#include "svc/http/headers.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace svc::api {
namespace {

constexpr std::string_view suffix = "-gzip";

/// The field's list, if it is there and can be read.
std::optional<http::entity_tags> tags_of(http::request const& head, std::string_view name) {
  auto const read = http::read_entity_tags(head, name);
  return read ? *read : std::nullopt;
}

/// The version precedes the dash. Weak tags match nothing in If-Match (13.1.1) but can match in If-None-Match
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

std::string entity_tag_of(std::int64_t version, std::string_view content) {
  auto const hash = sha256(content);
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
  return etag != nullptr && not_modified(head, *etag);
}

bool not_modified(http::request const& head, std::string_view etag) {
  auto const known = reads(head) ? tags_of(head, "If-None-Match") : std::nullopt;
  return known && (known->any ||
                   std::ranges::any_of(known->tags, [&](auto const& tag) { return same_entity(tag.opaque, etag); }));
}

}  // namespace svc::api
