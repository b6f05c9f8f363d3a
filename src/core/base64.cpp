#include "svc/core/base64.hpp"

#include <algorithm>

namespace svc {

std::string to_base64(byte_view bytes) {
  auto text = to_base64url(bytes);
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::optional<byte_vector> from_base64(std::string_view text) {
  if (text.size() % 4 != 0 || text.find_first_of("-_") != std::string_view::npos) return std::nullopt;
  // A third `=` would stand for a lone character.
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  std::string other(text);
  std::ranges::replace(other, '+', '-');
  std::ranges::replace(other, '/', '_');
  return from_base64url(other);
}

}  // namespace svc
