#pragma once

#include "svc/core/pattern_automaton.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// These classes find a secret in another spelling: they decode the text from that spelling and search the result for
// the secrets themselves. So they need no list of spellings, and they skip white space inside a spelling.

namespace svc {

/// Values shorter than this are masked only in their original spelling, because any text has other spellings of them
/// by chance.
inline constexpr std::size_t shortest_spelled_secret = 6;
/// The most consecutive white space that is skipped inside a spelling.
inline constexpr std::size_t longest_gap = 64;

/// A position in the text; it counts from the stream's first byte.
using text_position = std::size_t;
inline constexpr text_position nowhere = static_cast<text_position>(-1);

struct text_range {
  text_position begin, end;
};

/// The ranges found, in the order of their ends; several lanes may find the same range.
using text_ranges = std::vector<text_range>;

/// The search in one decoding of the text. The lane remembers the positions in the text of the bytes that may become
/// a secret.
class spelling_lane {
 public:
  /// Takes a decoded byte whose spelling is at `range`. Adds the longest secret that ends with it.
  void put(pattern_automaton const& secrets, char byte, text_range range, text_ranges& found);
  /// Returns the start of the text that may become a secret, if at least `least` bytes of the secret have arrived;
  /// otherwise `nowhere`.
  text_position open(std::size_t least) const;
  void reset();

 private:
  pattern_automaton::state state_ = pattern_automaton::start;
  std::size_t depth_ = 0;
  std::vector<text_position> positions_{};  ///< only the last `depth_` are in use
};

/// A run of digits, whose groups spell bytes. The run has one lane for each position where groups may start, and
/// skips white space inside of it.
template <std::size_t Lanes>
class digit_run {
 public:
  void reset();
  text_position open(std::size_t least) const;

 protected:
  /// Returns true if the character is not a digit: it ends the run, or is part of a gap in the run.
  bool skip(std::uint32_t value, text_position position);
  void keep(std::uint32_t digit, text_position position);

  std::array<spelling_lane, Lanes> lanes_{};
  std::size_t count_ = 0;   ///< digits of the run
  std::uint32_t last_ = 0;  ///< its last digit's bits
  text_position last_at_ = nowhere;

 private:
  std::size_t gap_ = 0;
};

/// Reads base64 (RFC 4648), both alphabets, wherever the groups start. Padding after a secret belongs to the secret.
class base64_reading : public digit_run<4> {
 public:
  /// Takes the character at `position`.
  void put(pattern_automaton const& secrets, char c, text_position position, text_ranges& found);
  text_position open(std::size_t least) const;

 private:
  void put_digit(pattern_automaton const& secrets, std::uint32_t digit, text_position position, text_ranges& found);

  text_position padding_at_ = nowhere;  ///< the position of a secret's possible padding
};

/// Reads hexadecimal, upper and lower case, wherever the pairs start; skips colons like white space.
class hex_reading : public digit_run<2> {
 public:
  void put(pattern_automaton const& secrets, char c, text_position position, text_ranges& found);
};

/// Reads text with escapes, whichever characters are escaped, and skips only line breaks. Text without any escape
/// only loses its line breaks.
class escape_reading {
 public:
  enum class style : std::uint8_t {
    percent,  ///< %41
    form,     ///< %41, and + for a space
    json,     ///< \n, \u0041
  };
  explicit escape_reading(style s) : style_(s) {}

  void put(pattern_automaton const& secrets, char c, text_position position, text_ranges& found);
  text_position open(std::size_t least) const;
  void reset();

 private:
  struct character {
    char byte;
    text_range range;
  };
  /// The decoded start of `waiting_`; `taken` is 0 while the decoder needs more characters.
  struct reading {
    std::size_t taken = 0;
    std::string bytes{};
  };

  bool begins(char c) const;
  reading read() const;
  reading read_percent() const;
  reading read_json() const;
  reading literal() const { return {1, std::string(1, waiting_.front().byte)}; }
  std::int32_t digits(std::size_t first, std::size_t count) const;

  style style_;
  spelling_lane lane_{};
  std::vector<character> waiting_{};  ///< the start of an escape; 12 at most
  std::size_t gap_ = 0;
};

}  // namespace svc
