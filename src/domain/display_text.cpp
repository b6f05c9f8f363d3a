#include "svc/domain/display_text.hpp"

#include "svc/core/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace svc {
namespace {

struct code_range {
  std::uint32_t first, last;
};

/// Characters of the categories Cc and Cf that are drawn as nothing, line separators, and letters and symbols that
/// are drawn as nothing (Unicode 16), in order. The joiners are not here, nor are the selectors of variants, which
/// Japanese names and emoji need. Tags could hide whole texts.
constexpr std::array<code_range, 20> hidden_ranges{{
    {0x0000, 0x001F},    // C0
    {0x007F, 0x009F},    // DEL and C1
    {0x00AD, 0x00AD},    // soft hyphen
    {0x034F, 0x034F},    // combining grapheme joiner
    {0x061C, 0x061C},    // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x17B4, 0x17B5},    // Khmer inherent vowels
    {0x200B, 0x200B},    // zero width space
    {0x200E, 0x200F},    // marks of direction
    {0x2028, 0x202E},    // line and paragraph separators, embeddings and overrides of direction
    {0x2060, 0x206F},    // word joiner, invisible operators, isolates of direction
    {0x2800, 0x2800},    // blank Braille pattern
    {0x3164, 0x3164},    // Hangul filler
    {0xFEFF, 0xFEFF},    // zero width no-break space
    {0xFFA0, 0xFFA0},    // halfwidth Hangul filler
    {0xFFF0, 0xFFFB},    // interlinear annotations
    {0x1BCA0, 0x1BCA3},  // shorthand format controls
    {0x1D173, 0x1D17A},  // musical format controls
    {0xE0000, 0xE00FF},  // tags
    {0xE01F0, 0xE0FFF},  // unassigned, and drawn as nothing
}};

bool is_hidden(std::uint32_t point) {
  auto const found = std::ranges::lower_bound(hidden_ranges, point, {}, &code_range::last);
  return found != hidden_ranges.end() && point >= found->first;
}

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool is_joiner(std::uint32_t point) {
  return point == 0x200C || point == 0x200D || point == 0x180E;
}

/// Decodes one well-formed sequence.
std::uint32_t decode(std::string_view sequence) {
  constexpr std::array<std::uint32_t, 5> lead_bits{0, 0x7F, 0x1F, 0x0F, 0x07};
  auto out = static_cast<unsigned char>(sequence.front()) & lead_bits.at(sequence.size());
  for (char const c : sequence.substr(1)) out = (out << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  return out;
}

}  // namespace

bool has_hidden_character(std::string_view text) {
  std::uint32_t before = 0;
  while (!text.empty()) {
    auto const size = utf8_sequence(text);
    if (size == 0) return true;
    auto const point = decode(text.substr(0, size));
    text.remove_prefix(size);
    if (is_hidden(point)) return true;
    // The character after a joiner must be one that it can join, and no second joiner.
    bool const joins = is_joiner(before), opens = is_joiner(point);
    if ((joins && (point < 0x80 || opens)) || (opens && (before < 0x80 || text.empty()))) return true;
    before = point;
  }
  return false;
}

result<std::string> checked_name(std::string_view text, std::string_view field, std::size_t longest) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  std::string const range = "must have 1 to " + std::to_string(longest) + " characters besides surrounding spaces";
  if (text.empty() || code_points(text) > longest)
    return error(errc::validation_failed, {}, {{std::string(field), range}});
  if (has_hidden_character(text))
    return error(errc::validation_failed, {}, {{std::string(field), std::string(hidden_character_reason)}});
  return std::string(text);
}

}  // namespace svc
