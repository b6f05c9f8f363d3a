#pragma once

#include "svc/core/pattern_automaton.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// A secret is found in another spelling by reading the text as that spelling: what comes out is searched for the
// secrets themselves. So no list of spellings is kept, and white space inside of one is passed over.

namespace svc {

/// Values shorter than this are masked as they are and in no other spelling: those would stand in any text by chance.
inline constexpr std::size_t shortest_spelled_secret = 6;
/// Of the white space in a spelling, side by side.
inline constexpr std::size_t longest_gap = 64;

/// Where something begins in the text; counts from the stream's first byte.
using text_place = std::size_t;
inline constexpr text_place nowhere = static_cast<text_place>(-1);

struct text_range {
  text_place begin, end;
};

/// What was found in the order of its ends; several lanes may find the same.
using text_ranges = std::vector<text_range>;

/// The search in one reading of the text. Remembers where the bytes came from that may become a secret.
class spelling_lane {
 public:
  /// A byte whose spelling is `at`. Adds the longest secret that it ends.
  void put(pattern_automaton const& secrets, char byte, text_range at, text_ranges& found);
  /// Where what may become a secret begins, if at least `least` bytes of it came; else `nowhere`.
  text_place open(std::size_t least) const;
  void reset();

 private:
  pattern_automaton::state at_ = pattern_automaton::start;
  std::size_t depth_ = 0;
  std::vector<text_place> from_{};  ///< the last `depth_` count
};

/// A run of digits, groups of which spell bytes: one lane for each place in the run where groups may begin. White
/// space inside of it is passed over.
template <std::size_t Lanes>
class digit_run {
 public:
  void reset();
  text_place open(std::size_t least) const;

 protected:
  /// True for a character that is no digit: it ends the run, or stands in a gap of it.
  bool skip(std::uint32_t value, text_place at);
  void keep(std::uint32_t digit, text_place at);

  std::array<spelling_lane, Lanes> lanes_{};
  std::size_t count_ = 0;   ///< digits of the run
  std::uint32_t last_ = 0;  ///< its last digit's bits
  text_place last_at_ = nowhere;

 private:
  std::size_t gap_ = 0;
};

/// base64 (RFC 4648), both alphabets, wherever the groups begin. Padding after a secret belongs to it.
class base64_reading : public digit_run<4> {
 public:
  /// The character that stands at `at`.
  void put(pattern_automaton const& secrets, char c, text_place at, text_ranges& found);
  text_place open(std::size_t least) const;

 private:
  void put_digit(pattern_automaton const& secrets, std::uint32_t digit, text_place at, text_ranges& found);

  text_place padding_at_ = nowhere;  ///< where padding of a secret would stand
};

/// Hexadecimal, upper and lower case, wherever the pairs begin; colons are passed over like white space.
class hex_reading : public digit_run<2> {
 public:
  void put(pattern_automaton const& secrets, char c, text_place at, text_ranges& found);
};

/// Text with escapes, whichever characters are escaped; only line breaks are passed over. Without any escape it is
/// the text without its line breaks.
class escape_reading {
 public:
  enum class style : std::uint8_t {
    percent,  ///< %41
    form,     ///< the same, and + for a space
    json,     ///< \n, \u0041
  };
  explicit escape_reading(style s) : style_(s) {}

  void put(pattern_automaton const& secrets, char c, text_place at, text_ranges& found);
  text_place open(std::size_t least) const;
  void reset();

 private:
  struct character {
    char byte;
    text_range at;
  };
  /// What stands at the beginning of `waiting_`: nothing taken while more characters are needed.
  struct reading {
    std::size_t taken = 0;
    std::string bytes{};
  };

  bool begins(char c) const;
  reading read() const;
  reading read_percent() const;
  reading read_json() const;
  reading literal() const { return {1, std::string(1, waiting_.front().byte)}; }
  std::int32_t digits(std::size_t from, std::size_t count) const;

  style style_;
  spelling_lane lane_{};
  std::vector<character> waiting_{};  ///< the beginning of an escape; 12 at most
  std::size_t gap_ = 0;
};

}  // namespace svc
