#include "svc/core/spellings.hpp"

#include <algorithm>

namespace svc {
namespace {

constexpr std::uint32_t foreign = 255;  ///< not in the alphabet
constexpr std::uint32_t passed = 254;   ///< skipped, as white space is
using alphabet = std::array<std::uint8_t, 256>;

constexpr void fill(alphabet& alphabet, std::string_view characters, std::uint32_t first) {
  for (char const c : characters) alphabet[static_cast<unsigned char>(c)] = static_cast<std::uint8_t>(first++);
}

constexpr alphabet make(std::string_view gaps) {
  alphabet out{};
  out.fill(foreign);
  for (char const c : gaps) out[static_cast<unsigned char>(c)] = passed;
  return out;
}

constexpr alphabet base64_values = [] {
  auto out = make(" \t\r\n");
  fill(out, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 0);
  fill(out, "-_", 62);
  return out;
}();

constexpr alphabet hex_values = [] {
  auto out = make(" \t\r\n:");
  fill(out, "0123456789abcdef", 0);
  fill(out, "ABCDEF", 10);
  return out;
}();

std::uint32_t value_of(alphabet const& alphabet, char c) {
  return alphabet[static_cast<unsigned char>(c)];
}

constexpr std::string_view escape_letters = "\"\\/bfnrt";
constexpr std::string_view escaped = "\"\\/\b\f\n\r\t";

std::int32_t digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_between(std::int32_t unit, std::int32_t least, std::int32_t most) {
  return unit >= least && unit <= most;
}

/// RFC 3629 section 3.
std::string utf8(std::uint32_t point) {
  auto const tail = [point](unsigned shift) { return static_cast<char>(0x80U | (point >> shift & 0x3FU)); };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xC0U | point >> 6U), tail(0)};
  if (point < 0x10000) return {static_cast<char>(0xE0U | point >> 12U), tail(6), tail(0)};
  return {static_cast<char>(0xF0U | point >> 18U), tail(12), tail(6), tail(0)};
}

}  // namespace

void spelling_lane::put(pattern_automaton const& secrets, char byte, text_range range, text_ranges& found) {
  state_ = secrets.next(state_, byte);
  depth_ = secrets.open(state_);
  if (depth_ == 0) return positions_.clear();
  positions_.push_back(range.begin);
  // Trimmed rarely, so that a long secret costs no more for each byte.
  if (positions_.size() > 1024 && positions_.size() > 2 * depth_)
    positions_.erase(positions_.begin(), positions_.end() - static_cast<std::ptrdiff_t>(depth_));
  auto const size = secrets.match(state_);
  if (size >= shortest_spelled_secret) found.push_back({positions_[positions_.size() - size], range.end});
}

text_position spelling_lane::open(std::size_t least) const {
  return depth_ == 0 || depth_ < least ? nowhere : positions_[positions_.size() - depth_];
}

void spelling_lane::reset() {
  state_ = pattern_automaton::start;
  depth_ = 0;
  positions_.clear();
}

template <std::size_t Lanes>
void digit_run<Lanes>::reset() {
  for (auto& each : lanes_) each.reset();
  count_ = 0;
  gap_ = 0;
  last_at_ = nowhere;
}

template <std::size_t Lanes>
text_position digit_run<Lanes>::open(std::size_t least) const {
  auto out = least == 0 && count_ > 0 ? last_at_ : nowhere;
  for (auto const& each : lanes_) out = std::min(out, each.open(least));
  return out;
}

template <std::size_t Lanes>
bool digit_run<Lanes>::skip(std::uint32_t value, text_position position) {
  if (value == foreign) {
    if (count_ > 0) reset();
    return true;
  }
  if (value == passed) {
    if (++gap_ > longest_gap) reset();
    // A byte that is split by the gap counts from after it, so that a line's last character is not held back.
    if (count_ > 0) last_at_ = position + 1;
    return true;
  }
  gap_ = 0;
  return false;
}

template <std::size_t Lanes>
void digit_run<Lanes>::keep(std::uint32_t digit, text_position position) {
  last_ = digit;
  last_at_ = position;
  ++count_;
}

template class digit_run<2>;
template class digit_run<4>;

void base64_reading::put(pattern_automaton const& secrets, char c, text_position position, text_ranges& found) {
  auto const value = value_of(base64_values, c);
  bool const padding = c == '=' && padding_at_ == position;
  padding_at_ = nowhere;
  if (skip(value, position)) {
    if (!padding) return;
    // Overlaps the secret's last character, so that the two are merged.
    found.push_back({position - 1, position + 1});
    padding_at_ = position + 1;
    return;
  }
  auto const known = found.size();
  put_digit(secrets, value, position, found);
  if (found.size() > known) padding_at_ = position + 1;
}

void base64_reading::put_digit(pattern_automaton const& secrets, std::uint32_t digit, text_position position,
                               text_ranges& found) {
  for (std::size_t lane = 0; count_ > 0 && lane < lanes_.size(); ++lane) {
    auto const in_group = (count_ + lane) % 4;
    if (in_group == 0) continue;
    auto const shift = static_cast<std::uint32_t>(6 - 2 * in_group);
    auto const byte = static_cast<char>((last_ << 6U | digit) >> shift & 0xFFU);
    lanes_[lane].put(secrets, byte, {last_at_, position + 1}, found);
  }
  keep(digit, position);
}

text_position base64_reading::open(std::size_t least) const {
  auto const out = digit_run::open(least);
  return padding_at_ == nowhere ? out : std::min(out, padding_at_ - 1);
}

void hex_reading::put(pattern_automaton const& secrets, char c, text_position position, text_ranges& found) {
  auto const value = value_of(hex_values, c);
  if (skip(value, position)) return;
  if (count_ > 0)
    lanes_[count_ % 2].put(secrets, static_cast<char>(last_ << 4U | value), {last_at_, position + 1}, found);
  keep(value, position);
}

void escape_reading::put(pattern_automaton const& secrets, char c, text_position position, text_ranges& found) {
  if (c == '\n' || c == '\r') {
    if (++gap_ > longest_gap) reset();
    // As in the other readings: what is split by the line break counts from after it.
    for (auto& each : waiting_) each.range.begin = position + 1;
    return;
  }
  gap_ = 0;
  // Most characters are neither in an escape nor begin one.
  if (waiting_.empty() && !begins(c)) return lane_.put(secrets, c, {position, position + 1}, found);
  waiting_.push_back({c, {position, position + 1}});
  while (!waiting_.empty()) {
    auto const made = read();
    if (made.taken == 0) break;
    text_range const whole{waiting_.front().range.begin, waiting_[made.taken - 1].range.end};
    for (char const byte : made.bytes) lane_.put(secrets, byte, whole, found);
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(made.taken));
  }
}

text_position escape_reading::open(std::size_t least) const {
  auto const out = lane_.open(least);
  return least == 0 && !waiting_.empty() ? std::min(out, waiting_.front().range.begin) : out;
}

void escape_reading::reset() {
  lane_.reset();
  waiting_.clear();
  gap_ = 0;
}

bool escape_reading::begins(char c) const {
  return style_ == style::json ? c == '\\' : c == '%' || (c == '+' && style_ == style::form);
}

escape_reading::reading escape_reading::read() const {
  char const first = waiting_.front().byte;
  if (!begins(first)) return literal();
  if (style_ == style::json) return read_json();
  return first == '+' ? reading{1, " "} : read_percent();
}

/// The number that `count` hexadecimal digits make; -1: one is not a digit, -2: they have not all come.
std::int32_t escape_reading::digits(std::size_t first, std::size_t count) const {
  std::int32_t out = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    if (i >= waiting_.size()) return -2;
    auto const next = digit(waiting_[i].byte);
    if (next < 0) return -1;
    out = out * 16 + next;
  }
  return out;
}

escape_reading::reading escape_reading::read_percent() const {
  auto const value = digits(1, 2);
  if (value == -2) return {};
  if (value == -1) return literal();
  return {3, std::string(1, static_cast<char>(value))};
}

escape_reading::reading escape_reading::read_json() const {
  if (waiting_.size() < 2) return {};
  char const letter = waiting_[1].byte;
  if (auto const position = escape_letters.find(letter); position != std::string_view::npos)
    return {2, std::string(1, escaped[position])};
  if (letter != 'u') return literal();
  auto const unit = digits(2, 4);
  if (unit == -2) return {};
  if (unit == -1 || is_between(unit, 0xDC00, 0xDFFF)) return literal();
  if (!is_between(unit, 0xD800, 0xDBFF)) return {6, utf8(static_cast<std::uint32_t>(unit))};
  for (std::size_t i = 6; i < 8; ++i) {
    if (waiting_.size() <= i) return {};
    if (waiting_[i].byte != "\\u"[i - 6]) return literal();
  }
  auto const low = digits(8, 4);
  if (low == -2) return {};
  if (!is_between(low, 0xDC00, 0xDFFF)) return literal();
  return {12, utf8(0x10000U + (static_cast<std::uint32_t>(unit - 0xD800) << 10U) +
                   static_cast<std::uint32_t>(low - 0xDC00))};
}

}  // namespace svc
