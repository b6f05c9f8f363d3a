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

/// `parse_json` for a text that arrives in pieces, so that no turn reads a large text whole. The result
/// depends on the bytes, not on how they were split. Sans-io and total. The cost is linear in the bytes; the
/// built values are bounded by the bytes and by `max_values`. One text, worker-local.
class json_reader {
 public:
  static constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_name = 4096;    ///< bytes between the quotes
  static constexpr std::size_t max_number = 1024;  ///< characters

  /// `max_values` limits the values of the document, containers and their contents together. `shape` is the
  /// schema that the document will be checked against; it outlives the reader. The reader builds only as much
  /// of a forbidden part as the validator needs for its report. It builds no value of an unknown member, no
  /// element after the first surplus one, nothing inside a value of the wrong type. `text_size` is the size
  /// of the whole text, if it is known. A string that continues after its piece then gets its memory at once,
  /// if `shape` bounds its bytes, and is not moved as it grows.
  explicit json_reader(std::size_t max_values = any_number, schema const* shape = nullptr, std::size_t text_size = 0)
      : max_values_(max_values), shape_(shape), text_size_(text_size) {}
  json_reader(json_reader const&) = delete;  // it points into itself
  json_reader& operator=(json_reader const&) = delete;

  /// Continues the text. Returns false once the text is refused.
  bool feed(std::string_view piece);
  /// Ends the text. Call it once.
  result<boost::json::value> finish(std::string_view last_piece = {});

 private:
  enum class state : std::uint8_t { start, value, first_element, first_name, name, colon, string, behind_value };

  /// The target of a value (null: the value is only checked) and its schema (null: any value is allowed).
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
  std::string_view text_{};   ///< the piece that `read` works on
  std::size_t position_ = 0;  ///< in `text_`
  bool last_ = false;         ///< `text_` is the last piece
  bool refused_ = false;
  state state_ = state::start;
  std::size_t values_ = 0;
  std::size_t depth_ = 0;
  std::array<container, max_json_depth> open_;  // NOLINT: written before it is read
  value_target member_{};                       ///< target of the member whose name was read
  boost::json::string* string_ = nullptr;       ///< the string that is being read; null: it is only checked
  std::size_t string_most_ = 0;                 ///< its maximum size in bytes
  boost::json::string name_{};
  boost::json::value root_{};
  std::string rest_{};  ///< the start of a token that the last piece cut
  std::string reason_{};
  std::size_t offset_ = 0, line_ = 1, column_ = 1;  ///< of `text_`'s first byte
};

}  // namespace svc::http
