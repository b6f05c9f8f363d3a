#include "svc/http/idempotency_key.hpp"

namespace svc::http {
namespace {

constexpr std::size_t longest = 255;

bool is_visible(char c) {
  return c > ' ' && c <= '~';
}

/// Without the quotes; `text` starts with one.
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

std::optional<std::string> read_idempotency_key(std::string_view text) {
  auto key = text.starts_with('"') ? unquoted(text) : std::optional<std::string>(text);
  if (!key || key->empty() || key->size() > longest) return std::nullopt;
  for (char const c : *key)
    if (!is_visible(c)) return std::nullopt;
  return key;
}

}  // namespace svc::http
