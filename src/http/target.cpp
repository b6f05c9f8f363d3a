#include "svc/http/target.hpp"

#include "http/chars.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/utf8.hpp"

#include <algorithm>
#include <optional>

namespace svc::http {
namespace {

error malformed(char const* sentence) {
  return {errc::malformed_request, sentence};
}

enum class plus { is_plus, is_space };

/// Decodes once and refuses what no later layer can hold safely.
result<std::string> decode(std::string_view raw, plus mode) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    char c = raw[i];
    if (c == '+' && mode == plus::is_space) {
      c = ' ';
    } else if (c == '%') {
      int const high = i + 1 < raw.size() ? chars::hex_value(raw[i + 1]) : -1;
      int const low = i + 2 < raw.size() ? chars::hex_value(raw[i + 2]) : -1;
      if (high < 0 || low < 0) return malformed("A percent sign in the URL must be followed by two hex digits.");
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (chars::is_control(c)) return malformed("The URL must not hold control characters, encoded or not.");
    out.push_back(c);
  }
  if (!is_utf8(out)) return malformed("The URL must be percent-encoded UTF-8.");
  return out;
}

result<std::string> decode_segment(std::string_view raw) {
  if (raw.empty()) return malformed("The path must not hold empty segments (a double or a trailing slash).");
  auto const literal = [](char c) { return c == '%' || chars::is_kind(chars::path, c); };
  if (!std::all_of(raw.begin(), raw.end(), literal)) {
    return malformed("The path holds a character that must be percent-encoded.");
  }
  auto segment = decode(raw, plus::is_plus);
  if (segment.has_error()) return segment;
  if (*segment == "." || *segment == "..") return malformed("The path must not hold dot segments, encoded or not.");
  if (segment->find_first_of("/\\") != std::string::npos) {
    return malformed("A path segment must not hold an encoded slash or backslash.");
  }
  return segment;
}

result<> parse_path(std::string_view path, target& out) {
  path.remove_prefix(1);
  if (path.empty()) return {};
  out.segments.reserve(6);  // as many as our routes have
  for (;;) {
    auto const slash = path.find('/');
    auto segment = decode_segment(path.substr(0, slash));
    if (segment.has_error()) return segment.error();
    out.segments.push_back(std::move(*segment));
    if (slash == std::string_view::npos) return {};
    path.remove_prefix(slash + 1);
  }
}

result<> parse_query(std::string_view query, target& out) {
  while (!query.empty()) {
    auto const ampersand = query.find('&');
    auto const pair = query.substr(0, ampersand);
    query.remove_prefix(ampersand == std::string_view::npos ? query.size() : ampersand + 1);
    if (pair.empty()) continue;
    if (out.query.size() == max_query_parameters) return malformed("The query has more than 50 parameters.");
    auto const equals = pair.find('=');
    auto name = decode(pair.substr(0, equals), plus::is_space);
    if (name.has_error()) return name.error();
    auto value =
        decode(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1), plus::is_space);
    if (value.has_error()) return value.error();
    out.query.emplace_back(std::move(*name), std::move(*value));
  }
  return {};
}

}  // namespace

std::optional<std::string_view> without_authority(std::string_view raw, std::string_view host) {
  if (!iequals(raw.substr(0, 7), "http://") && !iequals(raw.substr(0, 8), "https://")) return raw;
  auto const rest = raw.substr(raw.find("://") + 3);
  auto const end = std::min(rest.find_first_of("/?#"), rest.size());
  if (host.empty() || !iequals(rest.substr(0, end), host)) return std::nullopt;
  return rest.substr(end);
}

result<target> parse_target(std::string_view raw, std::string_view host, std::string_view method) {
  target out;
  if (raw == "*" && method == "OPTIONS") {
    out.raw_path = raw;
    return out;
  }
  if (!chars::all(chars::visible, raw))
    return malformed("The URL must be visible ASCII; percent-encode other bytes.");
  if (raw.find('#') != std::string_view::npos) return malformed("The URL must not hold a fragment (\"#\").");
  auto const rest = without_authority(raw, host);
  if (!rest) return malformed("The URL's authority must be the Host header's value.");
  bool const absolute = rest->size() < raw.size();
  if (!absolute && (raw.empty() || raw.front() != '/'))
    return malformed("The request target must begin with a slash.");
  raw = *rest;
  auto const question = std::min(raw.find('?'), raw.size());
  out.raw_path = question == 0 ? std::string_view("/") : raw.substr(0, question);
  if (auto path = parse_path(out.raw_path, out); path.has_error()) return path.error();
  auto const query = raw.substr(std::min(question + 1, raw.size()));
  if (auto parsed = parse_query(query, out); parsed.has_error()) return parsed.error();
  return out;
}

}  // namespace svc::http
