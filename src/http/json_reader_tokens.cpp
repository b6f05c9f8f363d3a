// The part of json_reader that reads names, and values that contain no others.
#include "http/chars.hpp"
#include "http/contract_schema.hpp"
#include "http/json_token.hpp"
#include "svc/core/utf8.hpp"
#include "svc/http/json_reader.hpp"

#include <algorithm>
#include <variant>

namespace svc::http {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_utf8 = 4;
constexpr std::size_t usual_piece = 64UL * 1024;

/// Characters that stand for themselves in a string and need no check: ASCII but quote, backslash, controls.
constexpr bool is_plain(char c) {
  auto const byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

}  // namespace

bool json_reader::read_literal() {
  constexpr std::string_view literals[] = {"true", "false", "null"};
  auto const rest = text_.substr(position_);
  for (auto const literal : literals) {
    if (rest.size() < literal.size() && !last_ && literal.starts_with(rest)) return false;
    if (!rest.starts_with(literal)) continue;
    value_target target{};
    if (!next_target(target)) return false;
    position_ += literal.size();
    if (target.into != nullptr && literal != "null") *target.into = literal == "true";
    return true;
  }
  return refuse("Not a JSON value");
}

bool json_reader::read_number() {
  auto const seen = text_.substr(position_, max_number + 1);
  auto const token = scan_number(seen);
  if (token.cut && seen.size() > max_number) return refuse("A number is longer than 1024 characters");
  if (token.cut && !last_) return false;
  if (token.reason != nullptr) return refuse_at(position_ + token.wrong_at, token.reason);
  auto const number = number_value(seen.substr(0, token.size));
  if (!number) return refuse("A number is too large");
  value_target target{};
  if (!next_target(target)) return false;
  position_ += token.size;
  if (target.into != nullptr) std::visit([&target](auto value) { *target.into = value; }, *number);
  return true;
}

/// Reads a name as a whole: it is short, and an error about it gives the position where it begins.
bool json_reader::read_name() {
  constexpr std::size_t longest = max_name + 2;
  auto const begin = position_++;
  if (auto const whole = plain_text(); whole && whole->size() <= max_name) return note_member(begin, *whole);
  position_ = begin + 1;
  name_.clear();
  bool const all_there = text_.size() - begin >= longest;
  auto const end = all_there ? begin + longest : text_.size();
  if (read_text(&name_, end, all_there || !last_)) return note_member(begin, name_);
  if (refused_) return false;
  if (all_there) return refuse_at(begin, "A member name is longer than 4096 bytes");
  position_ = begin;
  return false;
}

bool json_reader::begin_string() {
  value_target target{};
  if (!next_target(target)) return false;
  ++position_;
  auto const whole = plain_text();
  string_ = target.into != nullptr ? &target.into->emplace_string() : nullptr;
  if (!whole) {
    state_ = state::string;
    reserve_string(target.shape);
  } else if (string_ != nullptr) {
    string_->assign(*whole);
  }
  return true;
}

/// Only where the contract bounds the string's bytes: any other string gets no more memory than it fills.
void json_reader::reserve_string(schema const* shape) {
  string_most_ = shape != nullptr ? shape->max_bytes : schema::unlimited;
  auto const left = text_size_ - std::min(text_size_, offset_ + position_);
  if (string_ == nullptr || string_most_ == schema::unlimited || left <= text_.size()) return;
  // With room for the piece that exceeds the bound: it is still taken as a whole.
  string_->reserve(std::min(left, string_most_ + text_.size() + usual_piece));
}

/// Takes a string of plain characters, as most are, with its closing quote, if it ends in this piece. Takes nothing
/// of any other.
std::optional<std::string_view> json_reader::plain_text() {
  auto end = position_;
  while (end < text_.size() && is_plain(text_[end])) ++end;
  if (end == text_.size() || text_[end] != '"') return std::nullopt;
  auto const text = text_.substr(position_, end - position_);
  position_ = end + 1;
  return text;
}

bool json_reader::read_string() {
  // It will be refused for its length, whatever follows.
  if (string_ != nullptr && string_->size() > string_most_) string_ = nullptr;
  if (!read_text(string_, text_.size(), !last_)) return false;
  state_ = state::behind_value;
  return true;
}

/// Reads on after the opening quote, up to `end`. False: refused, or the closing quote has not come yet; then what
/// could be read has been taken.
bool json_reader::read_text(json::string* out, std::size_t end, bool may_go_on) {
  auto const put = [out](std::string_view text) {
    if (out != nullptr) out->append(text);
  };
  for (;;) {
    auto const begin = position_;
    while (position_ < end && is_plain(text_[position_])) ++position_;
    if (position_ > begin) put(text_.substr(begin, position_ - begin));
    if (position_ == end) return may_go_on ? false : refuse("A string has no end");
    char const c = text_[position_];
    if (take('"')) return true;
    auto const rest = text_.substr(position_, end - position_);
    if (c == '\\') {
      auto const escape = scan_escape(rest);
      if (escape.token.reason != nullptr) return escape.token.cut && may_go_on ? false : refuse(escape.token.reason);
      put(escape.text());
      position_ += escape.token.size;
      continue;
    }
    if (chars::is_control(c) && c != 0x7F) return refuse("A control character must be escaped in a string");
    auto const size = utf8_sequence(rest);
    if (size == 0) return rest.size() < longest_utf8 && may_go_on ? false : refuse("Invalid UTF-8");
    put(rest.substr(0, size));
    position_ += size;
  }
}

}  // namespace svc::http
