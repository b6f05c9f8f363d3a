#include "api/tag_json.hpp"

#include "api/object_reader.hpp"

#include <algorithm>

namespace svc::api {
namespace {

bool digit(char c) {
  return c >= '0' && c <= '9';
}

/// ^[A-Za-z0-9_-]{1,40}$
bool tag_name(std::string_view text) {
  auto const allowed = [](char c) {
    return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= 40 && std::ranges::all_of(text, allowed);
}

/// ^#[0-9a-f]{6}$
bool tag_color(std::string_view text) {
  auto const hex = [](char c) { return digit(c) || (c >= 'a' && c <= 'f'); };
  return text.size() == 7 && text.front() == '#' && std::ranges::all_of(text.substr(1), hex);
}

}  // namespace

boost::json::object tag_json(tag const& of) {
  return {{"id", of.id.to_string()},
          {"name", of.set.name},
          {"color", of.set.color},
          {"createdAt", to_rfc3339(of.created_at)},
          {"updatedAt", to_rfc3339(of.updated_at)}};
}

result<tag_settings> read_tag(boost::json::object const& body) {
  std::vector<field_error> wrong;
  object_reader from(body, wrong);
  from.only({"name", "color"});
  tag_settings out;
  out.name = from.text("name", {1, 40});
  if (!out.name.empty() && !tag_name(out.name)) {
    from.fault("name", "must be 1 to 40 letters, digits, underscores or hyphens");
  }
  out.color = from.maybe_text("color", {0, 7}).value_or(out.color);
  if (!tag_color(out.color)) from.fault("color", "must be # and six hexadecimal digits in lower case");
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

result<tag_settings> patch_tag(tag const& current, boost::json::object const& patch) {
  return read_tag(merge_patch({{"name", current.set.name}, {"color", current.set.color}}, patch));
}

}  // namespace svc::api
