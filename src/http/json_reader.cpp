#include "svc/http/json_reader.hpp"

#include "http/contract_schema.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

namespace svc::http {
namespace {

namespace json = boost::json;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// The schema of a member of an object with the schema `schema`; null: none is known. Sets `forbidden` if the object
/// may not have the member.
schema const* expected_member(schema const& schema, std::string_view name, bool& forbidden) {
  // The variant may be known only after this member.
  if (!schema.discriminator.empty()) return nullptr;
  auto const known = std::find_if(schema.properties.begin(), schema.properties.end(),
                                  [name](auto const& p) { return p.first == name; });
  if (known != schema.properties.end()) return known->second;
  forbidden = schema.closed;
  return schema.additional;
}

}  // namespace

bool json_reader::feed(std::string_view piece) {
  if (!refused_) read(piece, false);
  return !refused_;
}

result<json::value> json_reader::finish(std::string_view last_piece) {
  if (!refused_) read(last_piece, true);
  if (refused_) return error(errc::malformed_json, std::move(reason_));
  return std::move(root_);
}

void json_reader::read(std::string_view piece, bool last) {
  std::string joined;
  if (!rest_.empty()) {
    joined.swap(rest_);
    piece = joined.append(piece);
  }
  text_ = piece;
  position_ = 0;
  last_ = last;
  while (step()) {
  }
  if (!refused_ && !last) {
    rest_ = text_.substr(position_);
    pass(position_);
  }
  text_ = {};
}

/// Takes one token, or what there is of a string; false: refused, at the end, or more is needed.
bool json_reader::step() {
  if (state_ != state::string && state_ != state::start) skip_space();
  if (at_end() && (!last_ || (state_ == state::behind_value && depth_ == 0))) return false;
  switch (state_) {
    case state::start:
      if (!last_ && text_.size() < byte_order_mark.size()) return false;
      if (text_.starts_with(byte_order_mark)) return refuse("A byte order mark is not accepted");
      state_ = state::value;
      return true;
    case state::first_element:
      if (peek() == ']') return close();
      [[fallthrough]];
    case state::value:
      return begin_value();
    case state::first_name:
      if (peek() == '}') return close();
      [[fallthrough]];
    case state::name:
      return peek() == '"' ? read_name() : refuse("A member name in double quotes is missing");
    case state::colon:
      state_ = state::value;
      return take(':') || refuse("A colon is missing");
    case state::string:
      return read_string();
    case state::behind_value:
      return read_behind_value();
  }
  return false;
}

bool json_reader::begin_value() {
  if (at_end()) return refuse("A value is missing");
  switch (peek()) {
    case '{':
      return open(true);
    case '[':
      return open(false);
    case '"':
      return begin_string();
    case 't':
    case 'f':
    case 'n':
      return read_literal();
    default:
      return read_number();
  }
}

/// Counts the value that begins here, and finds its place.
bool json_reader::next_target(value_target& out) {
  if (++values_ > max_values_) {
    return refuse("A document may have at most " + std::to_string(max_values_) + " values; there is one more");
  }
  state_ = state::behind_value;
  if (depth_ == 0) return out = {&root_, shape_}, true;
  auto& container = open_[depth_ - 1];
  if (container.is_object) return out = member_, true;
  auto const index = container.count++;
  auto const* const shape = container.target.shape;
  if (container.target.into == nullptr || (shape != nullptr && index > shape->max_items)) return out = {}, true;
  out = {&container.target.into->get_array().emplace_back(nullptr), shape != nullptr ? shape->items : nullptr};
  return true;
}

bool json_reader::open(bool is_object) {
  if (depth_ == max_json_depth) return refuse("More than 32 levels of nesting");
  value_target target{};
  if (!next_target(target)) return false;
  ++position_;
  if (target.into != nullptr) {
    if (is_object) {
      target.into->emplace_object();
    } else {
      target.into->emplace_array();
    }
  }
  auto const type = is_object ? json_object : json_array;
  if (target.shape != nullptr && (target.shape->types & type) == 0) target.into = nullptr;
  open_[depth_++] = {target, 0, is_object};
  state_ = is_object ? state::first_name : state::first_element;
  return true;
}

bool json_reader::close() {
  ++position_;
  --depth_;
  state_ = state::behind_value;
  return true;
}

bool json_reader::read_behind_value() {
  if (depth_ == 0) return refuse("Unexpected text after the JSON value");
  bool const in_object = open_[depth_ - 1].is_object;
  if (take(',')) {
    state_ = in_object ? state::name : state::value;
    return true;
  }
  if (peek() == (in_object ? '}' : ']')) return close();
  return refuse(in_object ? "A comma or \"}\" is missing" : "A comma or \"]\" is missing");
}

bool json_reader::note_member(std::size_t begin, std::string_view name) {
  auto& container = open_[depth_ - 1];
  if (container.count++ == max_json_members) return refuse_at(begin, "An object has more than 1000 members");
  member_ = {};
  state_ = state::colon;
  if (container.target.into == nullptr) return true;
  auto const [member, is_new] = container.target.into->get_object().emplace(name, nullptr);
  // Two readers may take different values of a name that is used twice.
  if (!is_new) return refuse_at(begin, "A member name is used twice");
  bool forbidden = false;
  auto const* const shape =
      container.target.shape != nullptr ? expected_member(*container.target.shape, name, forbidden) : nullptr;
  if (!forbidden) member_ = {&member->value(), shape};
  return true;
}

bool json_reader::take(char c) {
  if (at_end() || text_[position_] != c) return false;
  ++position_;
  return true;
}

void json_reader::skip_space() {
  while (position_ < text_.size() && text_[position_] <= ' ') {
    if (char const c = text_[position_]; c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
    ++position_;
  }
}

bool json_reader::refuse_at(std::size_t where, std::string_view fault) {
  refused_ = true;
  pass(where);
  reason_ = "The body is not acceptable JSON: ";
  reason_.append(fault).append(" at line ").append(std::to_string(line_));
  reason_.append(", column ").append(std::to_string(column_));
  reason_.append(" (offset ").append(std::to_string(offset_)).append(").");
  return false;
}

/// That many more bytes of the text follow `offset_`.
void json_reader::pass(std::size_t bytes) {
  for (char const c : text_.substr(0, bytes)) {
    bool const continues = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    column_ += continues ? 0 : 1;
    if (c == '\n') {
      ++line_;
      column_ = 1;
    }
  }
  offset_ += bytes;
}

result<json::value> parse_json(std::string_view text) {
  return json_reader().finish(text);
}

}  // namespace svc::http
