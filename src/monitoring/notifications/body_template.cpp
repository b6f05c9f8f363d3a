#include "svc/monitoring/notifications/body_template.hpp"

#include "svc/core/ascii.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <optional>

namespace svc::notifications {

namespace json = boost::json;

namespace {

constexpr std::size_t longest = 10'000, deepest = 32;

error wrong(std::string reason) {
  return {errc::validation_failed, reason, {{"/config/bodyTemplate", reason}}};
}

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The name in the `{{ name }}` at the start of a text, and the size of that reference in bytes.
struct reference {
  std::string_view name;
  std::size_t size;
};
std::optional<reference> reference_at(std::string_view text) {
  if (!text.starts_with("{{")) return std::nullopt;
  auto const end = text.find("}}");
  if (end == std::string_view::npos) return std::nullopt;
  auto const name = trim(text.substr(2, end - 2));
  if (name.empty() || !std::ranges::all_of(name, is_name_letter)) return std::nullopt;
  return reference{name, end + 2};
}

/// Calls `literal` and `name` for the parts of a string, in order.
template <class Literal, class Name>
void each_part(std::string_view text, Literal literal, Name name) {
  while (!text.empty()) {
    auto const found = reference_at(text);
    if (found)
      name(found->name);
    else
      literal(text.front());
    text.remove_prefix(found ? found->size : 1);
  }
}

/// Returns the first name in a string that is not in `template_names`.
std::optional<std::string> unknown_in(std::string_view text) {
  std::optional<std::string> out;
  each_part(
      text, [](char) {},
      [&](std::string_view name) {
        if (!out && std::ranges::find(template_names, name) == template_names.end()) out = name;
      });
  return out;
}

std::optional<std::string> unknown_in(json::value const& value) {
  if (auto const* const text = value.if_string()) return unknown_in(std::string_view(*text));
  if (auto const* const list = value.if_array()) {
    for (auto const& entry : *list) {
      if (auto found = unknown_in(entry)) return found;
    }
  }
  if (auto const* const object = value.if_object()) {
    for (auto const& member : *object) {
      auto found = unknown_in(std::string_view(member.key()));
      if (!found) found = unknown_in(member.value());
      if (found) return found;
    }
  }
  return std::nullopt;
}

using values = std::function<std::string(std::string_view name)>;

std::string fill(std::string_view text, values const& value_of) {
  std::string out;
  each_part(text, [&](char c) { out += c; }, [&](std::string_view name) { out += value_of(name); });
  return out;
}

json::value fill(json::value const& value, values const& value_of) {
  if (auto const* const text = value.if_string()) return json::value(fill(std::string_view(*text), value_of));
  if (auto const* const list = value.if_array()) {
    json::array out;
    for (auto const& entry : *list) out.push_back(fill(entry, value_of));
    return out;
  }
  if (auto const* const object = value.if_object()) {
    json::object out;
    for (auto const& member : *object)
      out.insert_or_assign(fill(std::string_view(member.key()), value_of), fill(member.value(), value_of));
    return out;
  }
  return value;
}

}  // namespace

result<body_template> body_template::parse(std::string_view text) {
  if (text.size() > longest) return wrong("is longer than 10000 bytes");
  json::error_code failed;
  auto parsed = json::parse({text.data(), text.size()}, failed, {}, {.max_depth = deepest});
  if (failed) return wrong("must be JSON, at most 32 levels deep");
  if (auto const name = unknown_in(parsed)) return wrong("has the unknown name {{" + *name + "}}");
  return body_template(std::move(parsed));
}

std::string body_template::filled(values const& value_of) const {
  return json::serialize(fill(parsed_, value_of));
}

}  // namespace svc::notifications
