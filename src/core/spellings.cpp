#include "svc/core/spellings.hpp"

#include <algorithm>

namespace svc {
namespace {

constexpr std::uint32_t foreign = 255;  ///< of no alphabet
constexpr std::uint32_t passed = 254;   ///< white space
using alphabet = std::array<std::uint8_t, 256>;

constexpr void fill(alphabet& of, std::string_view characters, std::uint32_t first) {
  for (char const c : characters) of[static_cast<unsigned char>(c)] = static_cast<std::uint8_t>(first++);
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

std::uint32_t value_of(alphabet const& in, char c) {
  return in[static_cast<unsigned char>(c)];
}

}  // namespace

void spelling_lane::put(pattern_automaton const& secrets, char byte, text_range at, text_ranges& found) {
  at_ = secrets.next(at_, byte);
  depth_ = secrets.open(at_);
  if (depth_ == 0) return from_.clear();
  from_.push_back(at.begin);
  // Rarely, so that a long secret costs no more for each byte.
  if (from_.size() > 1024 && from_.size() > 2 * depth_)
    from_.erase(from_.begin(), from_.end() - static_cast<std::ptrdiff_t>(depth_));
  auto const size = secrets.match(at_);
  if (size >= shortest_spelled_secret) found.push_back({from_[from_.size() - size], at.end});
}

text_place spelling_lane::open(std::size_t least) const {
  return depth_ == 0 || depth_ < least ? nowhere : from_[from_.size() - depth_];
}

void spelling_lane::reset() {
  at_ = pattern_automaton::start;
  depth_ = 0;
  from_.clear();
}

void base64_reading::put(pattern_automaton const& secrets, char c, text_place at, text_ranges& found) {
  auto const value = value_of(base64_values, c);
  bool const padding = c == '=' && padding_at_ == at;
  padding_at_ = nowhere;
  if (value == foreign) {
    if (count_ > 0) reset();
    if (!padding) return;
    // Overlaps the secret's last character, and so becomes one with it.
    found.push_back({at - 1, at + 1});
    padding_at_ = at + 1;
    return;
  }
  if (value == passed) {
    if (++gap_ > longest_gap) reset();
    // A byte that is broken here begins after the gap, so that a line's last character is not held back.
    if (count_ > 0) last_at_ = at + 1;
    return;
  }
  gap_ = 0;
  auto const known = found.size();
  put_value(secrets, value, at, found);
  if (found.size() > known) padding_at_ = at + 1;
}

void base64_reading::put_value(pattern_automaton const& secrets, std::uint32_t value, text_place at,
                               text_ranges& found) {
  for (std::size_t lane = 0; count_ > 0 && lane < lanes_.size(); ++lane) {
    auto const in_group = (count_ + lane) % 4;
    if (in_group == 0) continue;
    auto const shift = static_cast<std::uint32_t>(6 - 2 * in_group);
    auto const byte = static_cast<char>((last_ << 6U | value) >> shift & 0xFFU);
    lanes_[lane].put(secrets, byte, {last_at_, at + 1}, found);
  }
  last_ = value;
  last_at_ = at;
  ++count_;
}

text_place base64_reading::open(std::size_t least) const {
  auto out = least == 0 && count_ > 0 ? last_at_ : nowhere;
  if (padding_at_ != nowhere) out = std::min(out, padding_at_ - 1);
  for (auto const& each : lanes_) out = std::min(out, each.open(least));
  return out;
}

void base64_reading::reset() {
  for (auto& each : lanes_) each.reset();
  count_ = 0;
  gap_ = 0;
  last_at_ = nowhere;
}

void hex_reading::put(pattern_automaton const& secrets, char c, text_place at, text_ranges& found) {
  auto const value = value_of(hex_values, c);
  if (value == foreign) {
    if (count_ > 0) reset();
    return;
  }
  if (value == passed) {
    if (++gap_ > longest_gap) reset();
    if (count_ > 0) last_at_ = at + 1;
    return;
  }
  gap_ = 0;
  if (count_ > 0) lanes_[count_ % 2].put(secrets, static_cast<char>(last_ << 4U | value), {last_at_, at + 1}, found);
  last_ = value;
  last_at_ = at;
  ++count_;
}

text_place hex_reading::open(std::size_t least) const {
  auto out = least == 0 && count_ > 0 ? last_at_ : nowhere;
  for (auto const& each : lanes_) out = std::min(out, each.open(least));
  return out;
}

void hex_reading::reset() {
  for (auto& each : lanes_) each.reset();
  count_ = 0;
  gap_ = 0;
  last_at_ = nowhere;
}

}  // namespace svc
