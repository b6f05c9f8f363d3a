#pragma once

#include "svc/core/result.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace re2 {
class RE2;
}

namespace svc::http {

/// A value of JSON Schema's `format` that this service enforces. Immutable, static.
struct format {
  std::string_view name;
  bool (*matches)(std::string_view text);
  std::string_view expectation;  ///< the text of a fault: "must be a UUID"
};

/// Finds `uuid`; `date-time`, RFC 3339 with any offset and at most microseconds; `cidr` and `cron` in the
/// form of `domain`. Returns null for a format that is not enforced, which the contract must not use.
format const* find_format(std::string_view name);

/// JSON Schema's types as bits; `number` includes every integer.
enum json_type : unsigned {
  json_null = 1,
  json_boolean = 2,
  json_integer = 4,
  json_number = 8,
  json_string = 16,
  json_array = 32,
  json_object = 64,
};

/// One compiled schema. Immutable after start, shared by all workers; RE2 writes its shared state only under its own
/// lock.
struct schema {
  static constexpr auto unlimited = std::numeric_limits<std::size_t>::max();

  unsigned types = 0;
  std::vector<boost::json::value> allowed{};  ///< enum, or const as its only value; empty: any

  std::vector<std::pair<std::string, schema const*>> properties{};  ///< sorted by name
  std::vector<std::string> required{};
  bool closed = false;                 ///< additionalProperties: false
  schema const* additional = nullptr;  ///< schema of members that are not in `properties`
  schema const* names = nullptr;       ///< propertyNames
  std::size_t min_properties = 0;
  std::size_t max_properties = unlimited;

  schema const* items = nullptr;
  std::size_t min_items = 0;
  std::size_t max_items = unlimited;
  bool unique_items = false;

  std::size_t min_length = 0;  ///< Unicode code points
  std::size_t max_length = unlimited;
  std::size_t max_bytes = unlimited;  ///< of UTF-8
  std::shared_ptr<re2::RE2 const> pattern{};
  std::string pattern_message{};  ///< x-message, or one that shows the pattern
  http::format const* format = nullptr;

  std::optional<std::int64_t> minimum{};
  std::optional<std::int64_t> maximum{};

  std::string discriminator{};  ///< property that selects one of `variants`; empty: no oneOf
  std::vector<std::pair<std::string, schema const*>> variants{};

  std::optional<boost::json::value> default_value{};
};

/// The schemas of one document, which outlives them; each component compiled once. Built at start, then immutable.
class schema_set {
 public:
  /// Compiles all components. Requires that the document passed `check_grammar`. Throws `std::runtime_error`
  /// with a JSON pointer for a value or combination that is not enforced.
  explicit schema_set(boost::json::value const& document);

  /// Compiles the schema at that path of the document, or returns the component that its `$ref` names.
  schema const& compile(boost::json::value const& source, std::string_view path);
  /// Returns the component of that name, or null.
  schema const* component(std::string_view name) const;

 private:
  friend class schema_compiler;

  boost::json::object const& sources_;
  std::deque<schema> nodes_;
  std::map<std::string, schema const*, std::less<>> components_;
};

/// The most faults that an answer lists.
inline constexpr std::size_t max_faults = 50;

/// Returns the faults of the value, at most `max_faults`, each with its JSON pointer after `pointer`. Returns
/// none if the value is valid. Total, for values of any depth.
///
/// This validator replaces valijson, which lacks half of the features that this contract needs (format, RE2
/// patterns, faults with pointers and sentences that say what is allowed, variants by discriminator). Workers
/// could not share its validator either. The list of keywords is short and closed (contract_grammar.cpp); any
/// other keyword stops the startup.
std::vector<field_error> validate(schema const& rule, boost::json::value const& value, std::string_view pointer);

}  // namespace svc::http
