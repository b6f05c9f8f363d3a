#include "svc/http/headers.hpp"

#include "http/chars.hpp"
#include "svc/core/ascii.hpp"
#include "svc/http/message.hpp"

#include <algorithm>

namespace svc::http {
namespace {

constexpr std::size_t max_request_id = 128;

/// Takes the text up to the next separator outside a quoted string, and the separator, off `rest`.
std::optional<std::string_view> next_part(std::string_view& rest, char separator) {
  while (!rest.empty()) {
    bool quoted = false;
    std::size_t end = 0;
    for (; end < rest.size() && (quoted || rest[end] != separator); ++end) {
      if (rest[end] == '"') quoted = !quoted;
      if (quoted && rest[end] == '\\') ++end;
    }
    end = std::min(end, rest.size());
    auto const part = trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!part.empty()) return part;
  }
  return std::nullopt;
}

/// 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
bool is_b64token(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return chars::is_kind(chars::host, c) || c == '+' || c == '/'; });
}

bool is_utf8_charset(std::string_view value) {
  return iequals(value, "utf-8") || iequals(value, "\"utf-8\"");
}

/// Takes one entity-tag off the front of `rest`.
std::optional<entity_tag> take_entity_tag(std::string_view& rest) {
  entity_tag tag;
  if (rest.starts_with("W/")) {
    tag.weak = true;
    rest.remove_prefix(2);
  }
  if (!rest.starts_with('"')) return std::nullopt;
  auto const end = rest.find('"', 1);
  if (end == std::string_view::npos) return std::nullopt;
  tag.opaque = rest.substr(1, end - 1);
  // etagc: every field character but white space; a backslash escapes nothing here (RFC 9110 8.8.3).
  if (tag.opaque.find_first_of(" \t") != std::string_view::npos) return std::nullopt;
  rest.remove_prefix(end + 1);
  return tag;
}

bool read_entity_tag_list(std::string_view list, entity_tags& out) {
  for (;;) {
    list = trim(list);
    if (list.starts_with(',')) {
      list.remove_prefix(1);
      continue;
    }
    if (list.empty()) return true;
    auto const tag = take_entity_tag(list);
    if (!tag) return false;
    out.tags.push_back(*tag);
    list = trim(list);
    if (!list.empty() && !list.starts_with(',')) return false;
  }
}

constexpr std::size_t longest = 255;

bool is_visible(char c) {
  return c > ' ' && c <= '~';
}

/// The text without its quotes; `text` starts with one.
std::optional<std::string> unquoted(std::string_view text) {
  std::string out;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1 == text.size() ? std::optional(std::move(out)) : std::nullopt;
    if (text[i] == '\\' && (++i == text.size() || (text[i] != '"' && text[i] != '\\'))) return std::nullopt;
    out.push_back(text[i]);
  }
  return std::nullopt;
}

}  // namespace

bool valid_request_id(std::string_view text) {
  return !text.empty() && text.size() <= max_request_id && std::all_of(text.begin(), text.end(), [](char c) {
    return (chars::is_kind(chars::host, c) && c != '~') || c == ':' || c == '/';
  });
}

bearer read_bearer(request const& head) {
  auto const count = head.count("authorization");
  if (count == 0) return {};
  if (count > 1) return {bearer::kind::repeated};
  constexpr std::string_view scheme = "bearer ";
  auto value = *head.find("authorization");
  if (!iequals(value.substr(0, scheme.size()), scheme)) return {bearer::kind::unreadable};
  value.remove_prefix(scheme.size());
  while (value.starts_with(' ')) value.remove_prefix(1);
  if (!is_b64token(value)) return {bearer::kind::unreadable};
  return {bearer::kind::token, value};
}

bool is_json_media_type(std::string_view content_type) {
  auto rest = content_type;
  auto const type = next_parameter(rest);
  if (!type) return false;
  constexpr std::string_view application = "application/";
  if (!iequals(type->substr(0, application.size()), application)) return false;
  auto const subtype = type->substr(application.size());
  constexpr std::string_view suffix = "+json";
  bool const has_suffix = subtype.size() > suffix.size() &&
                          iequals(subtype.substr(subtype.size() - suffix.size()), suffix) && is_token(subtype);
  if (!iequals(subtype, "json") && !has_suffix) return false;
  while (auto const parameter = next_parameter(rest)) {
    auto const equals = parameter->find('=');
    if (equals == std::string_view::npos || !is_token(parameter->substr(0, equals))) return false;
    if (iequals(parameter->substr(0, equals), "charset") && !is_utf8_charset(parameter->substr(equals + 1))) {
      return false;
    }
  }
  return true;
}

bool is_plain_content(request const& head) {
  for (auto const& f : head.fields) {
    if (!iequals(f.name, "content-encoding")) continue;
    auto rest = f.value;
    while (auto const coding = next_element(rest))
      if (!iequals(*coding, "identity")) return false;
  }
  return true;
}

std::optional<std::string_view> next_element(std::string_view& rest) {
  return next_part(rest, ',');
}

std::optional<std::string_view> next_parameter(std::string_view& rest) {
  return next_part(rest, ';');
}

bool entity_tags::match_strong(std::string_view opaque) const {
  return any || std::any_of(tags.begin(), tags.end(),
                            [opaque](entity_tag const& t) { return !t.weak && t.opaque == opaque; });
}

bool entity_tags::match_weak(std::string_view opaque) const {
  return any || std::any_of(tags.begin(), tags.end(), [opaque](entity_tag const& t) { return t.opaque == opaque; });
}

result<std::optional<entity_tags>> read_entity_tags(request const& head, std::string_view name) {
  std::optional<entity_tags> out;
  for (auto const& f : head.fields) {
    if (!iequals(f.name, name)) continue;
    if (!out) out.emplace();
    bool const star = f.value == "*";
    bool const readable = star || read_entity_tag_list(f.value, *out);
    out->any = out->any || star;
    if (!readable || (out->any && (!out->tags.empty() || head.count(name) > 1))) {
      return error(errc::malformed_request, std::string(name) + " must be * or a list of quoted entity tags.");
    }
  }
  if (out && !out->any && out->tags.empty()) {
    return error(errc::malformed_request, std::string(name) + " must be * or a list of quoted entity tags.");
  }
  return out;
}

std::optional<std::string> read_idempotency_key(std::string_view text) {
  auto key = text.starts_with('"') ? unquoted(text) : std::optional<std::string>(text);
  if (!key || key->empty() || key->size() > longest) return std::nullopt;
  for (char const c : *key)
    if (!is_visible(c)) return std::nullopt;
  return key;
}

std::optional<trace_parent> trace_of(request const& head) {
  if (head.count("traceparent") != 1) return std::nullopt;
  return read_trace_parent(*head.find("traceparent"));
}

std::optional<std::string_view> request::find(std::string_view name) const {
  for (auto const& f : fields) {
    if (iequals(f.name, name)) return f.value;
  }
  return std::nullopt;
}

std::size_t request::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(fields.begin(), fields.end(), [name](field const& f) { return iequals(f.name, name); }));
}

void set_security_fields(response& out) {
  out.set("X-Content-Type-Options", "nosniff");
  out.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  out.set("Referrer-Policy", "no-referrer");
}

}  // namespace svc::http
