#include "svc/core/bytes.hpp"

#include <algorithm>

namespace svc {
namespace {

constexpr std::string_view base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

int hex_value(char c, bool upper) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (upper && c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string to_hex(byte_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (std::uint8_t b : bytes) {
    text += digits[b >> 4];
    text += digits[b & 15];
  }
  return text;
}

std::optional<byte_vector> from_hex(std::string_view text, bool upper) {
  if (text.size() % 2 != 0) return std::nullopt;
  byte_vector bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    int const high = hex_value(text[i], upper);
    int const low = hex_value(text[i + 1], upper);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  return bytes;
}

std::string to_base64url(byte_view bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (std::uint8_t b : bytes) {
    bits = bits << 8 | b;
    for (held += 8; held >= 6; held -= 6) text += base64url[bits >> (held - 6) & 63];
  }
  if (held > 0) text += base64url[bits << (6 - held) & 63];
  return text;
}

std::optional<byte_vector> from_base64url(std::string_view text) {
  byte_vector bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int held = 0;
  for (char c : text) {
    auto const value = base64url.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes.push_back(static_cast<std::uint8_t>(bits >> held));
    }
  }
  // Six left-over bits are a lone character; other left-over bits must be zero, or two texts mean one value.
  if (held == 6 || (bits & ((1U << held) - 1)) != 0) return std::nullopt;
  return bytes;
}

std::string to_base64(byte_view bytes) {
  auto text = to_base64url(bytes);
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::optional<byte_vector> from_base64(std::string_view text) {
  if (text.size() % 4 != 0 || text.find_first_of("-_") != std::string_view::npos) return std::nullopt;
  // A third `=` would mean a single character.
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  std::string other(text);
  std::ranges::replace(other, '+', '-');
  std::ranges::replace(other, '/', '_');
  return from_base64url(other);
}

}  // namespace svc
