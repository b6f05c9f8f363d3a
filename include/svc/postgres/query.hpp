#pragma once

#include "svc/core/bytes.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace svc::postgres {

/// One SQL statement; a named constant at the top of its repository. `name` is unique in the program: it is the name
/// of the prepared statement and appears in logs and metrics.
struct statement {
  std::string_view name;
  std::string_view sql;
  /// True: the statement is not prepared, so the planner always knows its values. This suits statements in which some
  /// filters leave few rows and some leave nearly all: there planning costs less than the wrong plan.
  bool planned_each_time = false;
};

/// The values of $1, $2, ... in order. They have text format for text, text[], numbers and booleans; binary format
/// for uuid, timestamptz, bytea, uuid[], bigint[] and the arrays of `add_array`. The server infers the types from the
/// statement. Owns its bytes, but shares the ownership of a shared text.
class parameters {
 public:
  parameters() = default;
  template <class... Values>
  explicit parameters(Values const&... values) {
    (add(values), ...);
  }

  void add(std::nullptr_t);
  void add(std::string_view text);
  void add(char const* text) { add(std::string_view(text)); }
  void add(std::string const& text) { add(std::string_view(text)); }
  /// Adds a large text, which is not copied. A null pointer is NULL.
  void add(std::shared_ptr<std::string const> text);
  void add(std::shared_ptr<std::string> text) { add(std::shared_ptr<std::string const>(std::move(text))); }
  void add(std::int64_t number);
  void add(int number) { add(static_cast<std::int64_t>(number)); }
  void add(bool value);
  void add(uuid const& id);
  void add(timestamp t);
  void add(byte_view bytes);
  void add(byte_vector const& bytes) { add(byte_view(bytes)); }
  void add(std::vector<uuid> const& ids);              ///< uuid[]
  void add(std::vector<std::string> const& texts);     ///< text[]
  void add(std::vector<std::int64_t> const& numbers);  ///< bigint[]
  template <class T>
  void add(std::optional<T> const& value) {
    if (value)
      add(*value);
    else
      add(nullptr);
  }

  /// Adds an array with `value(row)` for each row, in binary format: uuid[], bigint[], boolean[], timestamptz[],
  /// text[] for texts, bytea[] for bytes. An empty optional is NULL. The statement must declare the same array type.
  template <class Rows, class Of>
  void add_array(Rows const& rows, Of const& value) {
    using element = std::remove_cvref_t<decltype(value(*std::begin(rows)))>;
    std::string bytes = array_head(type_of(std::type_identity<element>()), std::size(rows));
    for (auto const& row : rows) append_element(bytes, value(row));
    values_.push_back({.bytes = std::move(bytes), .null = false, .binary = true});
  }

  struct value {
    std::string bytes;
    bool null = false;
    bool binary = false;
    std::shared_ptr<std::string const> shared{};  ///< instead of `bytes`
    std::string const& content() const { return shared ? *shared : bytes; }
  };
  std::vector<value> const& values() const { return values_; }

 private:
  static std::uint32_t type_of(std::type_identity<uuid> /*tag*/);
  static std::uint32_t type_of(std::type_identity<std::int64_t> /*tag*/);
  static std::uint32_t type_of(std::type_identity<bool> /*tag*/);
  static std::uint32_t type_of(std::type_identity<std::string_view> /*tag*/);
  static std::uint32_t type_of(std::type_identity<std::string> /*tag*/);
  static std::uint32_t type_of(std::type_identity<byte_view> /*tag*/);
  static std::uint32_t type_of(std::type_identity<byte_vector> /*tag*/) {
    return type_of(std::type_identity<byte_view>());
  }
  static std::uint32_t type_of(std::type_identity<timestamp> /*tag*/);
  template <class T>
  static std::uint32_t type_of(std::type_identity<std::optional<T>> /*tag*/) {
    return type_of(std::type_identity<T>());
  }
  static std::string array_head(std::uint32_t element_type, std::size_t count);
  static void append_element(std::string& out, uuid const& id);
  static void append_element(std::string& out, std::int64_t number);
  static void append_element(std::string& out, bool value);
  static void append_element(std::string& out, std::string_view text);
  static void append_element(std::string& out, std::string const& text) {
    append_element(out, std::string_view(text));
  }
  static void append_element(std::string& out, byte_view bytes);
  static void append_element(std::string& out, byte_vector const& bytes) { append_element(out, byte_view(bytes)); }
  static void append_element(std::string& out, timestamp t);
  static void append_null(std::string& out);
  template <class T>
  static void append_element(std::string& out, std::optional<T> const& value) {
    if (value)
      append_element(out, *value);
    else
      append_null(out);
  }

  std::vector<value> values_;
};

/// Returns an array with `value_in(row)` for each row, for a statement that takes many rows at once.
template <class Value, class Rows>
std::vector<Value> column(Rows const& rows, auto&& value_in) {
  std::vector<Value> out;
  out.reserve(rows.size());
  for (auto const& row : rows) out.push_back(value_in(row));
  return out;
}

/// Returns the rows for which `condition(row)` holds.
template <class Rows>
auto rows_where(Rows const& rows, auto&& condition) {
  std::vector<std::remove_reference_t<decltype(*std::begin(rows))>*> out;
  for (auto const& row : rows) {
    if (condition(row)) out.push_back(&row);
  }
  return out;
}

struct query {
  statement statement;
  parameters parameters{};
};

/// The server's refusal of a statement. `constraint` names the violated constraint, if any. Input can cause 22xxx,
/// 23xxx, 40001 and 40P01. Codes that mean an unavailable database throw `unavailable` instead.
struct server_error {
  std::string sqlstate;
  std::string constraint;
  std::string message;  ///< for the log only

  bool unique_violation() const { return sqlstate == "23505"; }
  bool foreign_key_violation() const { return sqlstate == "23503"; }
  bool check_violation() const { return sqlstate == "23514"; }
  bool serialization_failure() const { return sqlstate == "40001" || sqlstate == "40P01"; }
};

}  // namespace svc::postgres
