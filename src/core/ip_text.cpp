#include "svc/core/ip_text.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace svc {
namespace {

constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr std::size_t longest_literal = 45;

}  // namespace

std::string ip_text(std::span<std::uint8_t const> bytes) {
  if (bytes.size() == 16 && std::equal(mapped.begin(), mapped.end(), bytes.begin())) bytes = bytes.subspan(12);
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(bytes.size() == 4 ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
  return text.data();
}

std::optional<std::string> ip_text_of(std::string_view literal) {
  // A NUL byte would end the text early for inet_pton.
  if (literal.size() > longest_literal || literal.find('\0') != std::string_view::npos) return std::nullopt;
  std::string const terminated(literal);
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET, terminated.c_str(), bytes.data()) == 1) return ip_text(std::span(bytes).first(4));
  if (inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return ip_text(bytes);
  return std::nullopt;
}

}  // namespace svc
