#include "domain/monitoring/checks/keyword.hpp"

#include "svc/core/ascii.hpp"
#include "svc/core/utf8.hpp"

#include <utility>

namespace svc::checks {

namespace {

/// No character: a byte that is no UTF-8.
constexpr char32_t not_a_character = 0xFFFFFFFF;

/// Takes the first character off a text that is not empty.
char32_t take_character(std::string_view& text) {
  auto const lead = static_cast<unsigned char>(text.front());
  auto const size = lead < 0x80 ? 1 : utf8_sequence(text);
  if (size <= 1) {
    text.remove_prefix(1);
    return size == 1 ? lead : not_a_character;
  }
  char32_t out = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) out = out << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  text.remove_prefix(size);
  return out;
}

/// The same as `folded`, with less work for ASCII.
char32_t quickly_folded(char32_t character) {
  return character < 0x80 ? static_cast<char32_t>(to_lower(static_cast<char>(character))) : folded(character);
}

}  // namespace

std::optional<keyword> keyword::make(std::string_view text) {
  std::vector<char32_t> all;
  while (!text.empty()) {
    auto const character = take_character(text);
    if (character == not_a_character) return std::nullopt;
    all.push_back(quickly_folded(character));
  }
  return all.empty() ? std::nullopt : std::optional(keyword(std::move(all)));
}

keyword::keyword(std::vector<char32_t> folded) : folded_(std::move(folded)), border_(folded_.size()) {
  for (std::size_t i = 1, matched = 0; i < folded_.size(); ++i) {
    while (matched > 0 && folded_[i] != folded_[matched]) matched = border_[matched - 1];
    if (folded_[i] == folded_[matched]) ++matched;
    border_[i] = static_cast<std::uint32_t>(matched);
  }
}

bool keyword::found_in(std::string_view body) const {
  std::size_t matched = 0;
  while (!body.empty()) {
    auto const next = take_character(body);
    auto const character = next == not_a_character ? next : quickly_folded(next);
    while (matched > 0 && character != folded_[matched]) matched = border_[matched - 1];
    if (character == folded_[matched]) ++matched;
    if (matched == folded_.size()) return true;
  }
  return false;
}

}  // namespace svc::checks
