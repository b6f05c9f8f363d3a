#include "cli/console/harmless.hpp"

#include "svc/core/utf8.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace svc::cli {
namespace {

constexpr std::string_view colour_end = "\x1b[0m";
constexpr std::string_view ellipsis = "…";
/// The longest SGR sequence in bytes; no program writes a longer one.
constexpr std::size_t longest_sgr = 64;

/// Returns the length of the SGR sequence at the start of the text; 0: none.
std::size_t sgr_length(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  auto const end = text.substr(0, longest_sgr).find_first_not_of("0123456789;:", 2);
  return end != text.npos && text[end] == 'm' ? end + 1 : 0;
}

char32_t code_point_of(std::string_view text) {
  utf8proc_int32_t out = -1;
  utf8proc_iterate(reinterpret_cast<utf8proc_uint8_t const*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &out);
  return static_cast<char32_t>(out);
}

bool must_be_shown(char32_t c) {
  auto const within = [c](char32_t first, char32_t last) { return first <= c && c <= last; };
  return c < 0x20 || within(0x7F, 0x9F) || within(0x2028, 0x2029) || within(0x202A, 0x202E) || within(0x2066, 0x2069);
}

std::string in_hexadecimal(char32_t c) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = c > 0xFF ? "\\u" : "\\x";
  for (int shift = c > 0xFF ? 12 : 4; shift >= 0; shift -= 4)
    out += digits[(c >> static_cast<unsigned>(shift)) & 15U];
  return out;
}

/// A unit that a terminal draws as one character.
struct drawn_text {
  std::size_t size = 0;     ///< bytes
  std::size_t columns = 0;  ///< none for SGR
};

/// Counts the columns of one grapheme, from its characters.
class grapheme_width {
 public:
  void add(char32_t c) {
    constexpr char32_t joiner = 0x200D, emoji_style = 0xFE0F;
    bool const flag = 0x1F1E6 <= c && c <= 0x1F1FF, skin = 0x1F3FB <= c && c <= 0x1F3FF;
    one_picture_ = one_picture_ || c == joiner || c == emoji_style || flag || skin;
    // A terminal draws vowels and finals of Hangul into the syllable of the first letter.
    bool const joined = 0x1160 <= c && c <= 0x11FF;
    if (!joined)
      sum_ += c == '\t' ? 8 : static_cast<std::size_t>(std::max(0, utf8proc_charwidth(static_cast<int>(c))));
  }
  /// Emoji that are joined, coloured or flags are one picture of two columns. In other scripts spacing marks add
  /// their own columns (UAX #11 does not cover graphemes).
  std::size_t columns() const { return one_picture_ ? std::min<std::size_t>(sum_, 1) * 2 : sum_; }

 private:
  std::size_t sum_ = 0;
  bool one_picture_ = false;
};

drawn_text first_drawn(std::string_view text) {
  if (auto const size = sgr_length(text); size > 0) return {size, 0};
  auto size = utf8_sequence(text);
  if (size == 0) return {1, 1};
  auto before = code_point_of(text);
  grapheme_width width;
  width.add(before);
  utf8proc_int32_t state = 0;
  while (size < text.size()) {
    auto const more = utf8_sequence(text.substr(size));
    if (more == 0) break;
    auto const next = code_point_of(text.substr(size));
    if (utf8proc_grapheme_break_stateful(static_cast<int>(before), static_cast<int>(next), &state)) break;
    width.add(next);
    size += more;
    before = next;
  }
  return {size, width.columns()};
}

}  // namespace

replaced_character replacement_of(std::string_view text) {
  auto const size = utf8_sequence(text);
  if (size == 0) {
    auto const byte = static_cast<unsigned char>(text.front());
    return {1, in_hexadecimal(byte), byte};
  }
  auto const c = code_point_of(text);
  if (!must_be_shown(c)) return {size, {}, c};
  if (c == '\n') return {size, "\\n", c};
  if (c == '\r') return {size, "\\r", c};
  if (c == '\t') return {size, "\\t", c};
  return {size, in_hexadecimal(c), c};
}

std::string harmless(std::string_view text, bool keep_colours, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t passes = keep_colours ? sgr_length(text) : 0;
    if (text.front() == '\t' || (keep_lines && text.front() == '\n')) passes = 1;
    auto const here = passes > 0 ? replaced_character{passes, {}, 0} : replacement_of(text);
    out += here.shown.empty() ? text.substr(0, here.size) : std::string_view(here.shown);
    text.remove_prefix(here.size);
  }
  return out;
}

std::string without_colours(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    auto const colours = sgr_length(text);
    if (colours == 0) out += text.front();
    text.remove_prefix(std::max<std::size_t>(1, colours));
  }
  return out;
}

std::size_t columns_of(std::string_view text) {
  std::size_t out = 0;
  while (!text.empty()) {
    auto const here = first_drawn(text);
    out += here.columns;
    text.remove_prefix(here.size);
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t columns) {
  std::size_t used = 0, kept = 0;
  bool coloured = false;
  for (auto rest = text; !rest.empty();) {
    auto const here = first_drawn(rest);
    coloured = coloured || rest.front() == '\x1b';
    used += here.columns;
    if (used > columns) {
      if (columns == 0) return {};
      auto out = std::string(text.substr(0, kept)).append(ellipsis);
      return coloured ? out.append(colour_end) : out;
    }
    rest.remove_prefix(here.size);
    // The last column is reserved for the ellipsis.
    if (used < columns) kept = text.size() - rest.size();
  }
  return std::string(text);
}

std::string shell_word(std::string_view text) {
  auto const plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./:@%+=,").find(c) != std::string_view::npos;
  };
  auto const shown = harmless(text);
  if (!shown.empty() && std::ranges::all_of(shown, plain)) return shown;
  std::string out = "'";
  for (char const c : shown) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

}  // namespace svc::cli
