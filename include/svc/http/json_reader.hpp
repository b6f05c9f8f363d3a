#pragma once

#include "svc/core/result.hpp"
#include "svc/http/json.hpp"

#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace svc::http {

struct schema;

/// `parse_json` for a text that comes in pieces, so that a large one need not be read in one go. The result depends
/// on the bytes, not on how they were split. Sans-io and total; its cost is linear in the bytes, and what it builds
/// is bounded by them and by `max_values`. For one text; worker-local.
class json_reader {
 public:
  static constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_name = 4096;    ///< bytes between the quotes
  static constexpr std::size_t max_number = 1024;  ///< characters

  /// `max_values`: how many values the document may have, containers and what they contain together.
  /// `shape` (outlives this): the schema that the document will be checked against. Of what it forbids, no more is
  /// built than the validator needs to report it: no value of an unknown member, no element after the first that is
  /// too many, nothing inside a value of the wrong type.
  /// `text_size`: of the whole text, if it is known. A string that goes on after its piece then gets its memory at
  /// once, if `shape` bounds its bytes, and is not moved as it grows.
  explicit json_reader(std::size_t max_values = any_number, schema const* shape = nullptr, std::size_t text_size = 0)
      : max_values_(max_values), shape_(shape), text_size_(text_size) {}
  json_reader(json_reader const&) = delete;  // it points into itself
  json_reader& operator=(json_reader const&) = delete;

  /// Continues the text; false once it is refused and no more of it is wanted.
  bool feed(std::string_view piece);
  /// Ends the text. Once.
  result<boost::json::value> finish(std::string_view last_piece = {});

 private:
  enum class state : std::uint8_t { start, value, first_element, first_name, name, colon, string, behind_value };

  /// Where a value goes (null: nowhere, it is only checked), and its schema (null: anything is allowed).
  struct value_target {
    boost::json::value* into;
    schema const* shape;
  };
  /// An array or object that is not closed yet. `into` stays valid: its parent does not grow before it is closed.
  struct container {
    value_target target;
    std::size_t count;  ///< elements or members so far
    bool is_object;
  };

  void read(std::string_view piece, bool last);
  bool step();
  bool begin_value();
  bool open(bool is_object);
  bool close();
  bool read_literal();
  bool read_number();
  bool read_name();
  bool begin_string();
  void reserve_string(schema const* shape);
  bool read_string();
  bool read_text(boost::json::string* out, std::size_t end, bool may_go_on);
  bool read_behind_value();
  bool note_member(std::size_t begin, std::string_view name);
  std::optional<std::string_view> plain_text();
  bool next_target(value_target& out);

  bool at_end() const { return position_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[position_]; }
  bool take(char c);
  void skip_space();
  bool refuse(std::string_view fault) { return refuse_at(position_, fault); }
  bool refuse_at(std::size_t where, std::string_view fault);
  void pass(std::size_t bytes);

  std::size_t max_values_;
  schema const* shape_;
  std::size_t text_size_;
  std::string_view text_{};   ///< while `read` runs: the bytes it works on
  std::size_t position_ = 0;  ///< in it
  bool last_ = false;         ///< nothing comes after it
  bool refused_ = false;
  state state_ = state::start;
  std::size_t values_ = 0;
  std::size_t depth_ = 0;
  std::array<container, max_json_depth> open_;  // NOLINT: written before it is read
  value_target member_{};                       ///< of the member whose name was read
  boost::json::string* string_ = nullptr;       ///< the string that is being read; null: nowhere
  std::size_t string_most_ = 0;                 ///< bytes that it may have
  boost::json::string name_{};
  boost::json::value root_{};
  std::string rest_{};  ///< the beginning of a token that the last piece cut
  std::string reason_{};
  std::size_t offset_ = 0, line_ = 1, column_ = 1;  ///< of `text_`'s first byte
};

}  // namespace svc::http
