#include "http/contract_schema.hpp"

#include "http/contract_pointer.hpp"
#include "svc/core/utf8.hpp"
#include "svc/http/json.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <string>

namespace svc::http {
namespace {

namespace json = boost::json;

// The JSON reader lets 32 levels through; values built elsewhere are bounded, too.
constexpr std::size_t max_depth = 64;

unsigned type_bits(json::value const& value) {
  switch (value.kind()) {
    case json::kind::null:
      return json_null;
    case json::kind::bool_:
      return json_boolean;
    case json::kind::int64:
    case json::kind::uint64:
      return json_integer | json_number;
    case json::kind::double_:
      return json_number;
    case json::kind::string:
      return json_string;
    case json::kind::array:
      return json_array;
    case json::kind::object:
      return json_object;
  }
  return 0;
}

void append_choice(std::string& text, std::string_view choice, std::string_view separator) {
  if (!text.empty()) text += separator;
  text += choice;
}

std::string type_sentence(unsigned types) {
  constexpr std::pair<unsigned, std::string_view> names[] = {
      {json_boolean, "true or false"},
      {json_integer, "an integer"},
      {json_number, "a number"},
      {json_string, "a string"},
      {json_array, "an array"},
      {json_object, "an object"},
      {json_null, "null"},
  };
  std::string choices;
  for (auto const& [bit, name] : names) {
    if ((types & bit) != 0) append_choice(choices, name, " or ");
  }
  return "must be " + choices;
}

std::string values_sentence(std::vector<json::value> const& allowed) {
  std::string choices;
  for (auto const& value : allowed) {
    append_choice(choices, value.is_string() ? std::string(value.get_string()) : serialize(value), ", ");
  }
  return (allowed.size() == 1 ? "must be " : "must be one of: ") + choices;
}

/// "must have 1 to 20 items": what both bounds of a size together allow.
std::string size_sentence(std::size_t low, std::size_t high, std::string_view unit) {
  if (high == schema::unlimited) return "must have at least " + std::to_string(low) + " " + std::string(unit);
  auto const least = low == 0 ? "at most " : std::to_string(low) + " to ";
  return "must have " + least + std::to_string(high) + " " + std::string(unit);
}

std::string range_sentence(schema const& rule) {
  if (rule.minimum && rule.maximum) {
    return "must be from " + std::to_string(*rule.minimum) + " to " + std::to_string(*rule.maximum);
  }
  return rule.minimum ? "must be at least " + std::to_string(*rule.minimum)
                      : "must be at most " + std::to_string(*rule.maximum);
}

template <class Pairs>
auto find_named(Pairs const& pairs, std::string_view name) {
  return std::find_if(pairs.begin(), pairs.end(), [name](auto const& p) { return p.first == name; });
}

/// One walk through one value.
class walk {
 public:
  explicit walk(std::string_view pointer) : path_(pointer) {}

  void check(schema const& rule, json::value const& value, std::size_t depth) {
    if (depth > max_depth) return fault("is nested too deeply");
    if ((type_bits(value) & rule.types) == 0) return fault(type_sentence(rule.types));
    if (!rule.allowed.empty() && std::find(rule.allowed.begin(), rule.allowed.end(), value) == rule.allowed.end()) {
      return fault(values_sentence(rule.allowed));
    }
    if (value.is_string()) {
      check_string(rule, value.get_string());
    } else if (value.is_number()) {
      check_number(rule, value);
    } else if (value.is_array()) {
      check_array(rule, value.get_array(), depth);
    } else if (value.is_object()) {
      check_object(rule, value.get_object(), depth);
    }
  }

  std::vector<field_error> take() { return std::move(faults_); }

 private:
  void fault(std::string message) {
    if (faults_.size() < max_faults) faults_.push_back({path_.text(), std::move(message)});
  }

  template <class Step>
  void fault_at(Step step, std::string message) {
    auto const mark = path_.mark();
    path_.push(step);
    fault(std::move(message));
    path_.back_to(mark);
  }

  template <class Step>
  void check_at(Step step, schema const& rule, json::value const& value, std::size_t depth) {
    if (faults_.size() >= max_faults) return;
    auto const mark = path_.mark();
    path_.push(step);
    check(rule, value, depth + 1);
    path_.back_to(mark);
  }

  void check_string(schema const& rule, std::string_view text) {
    if (text.size() > rule.max_bytes) {
      return fault("must have at most " + std::to_string(rule.max_bytes) + " bytes of UTF-8");
    }
    auto const length = code_points(text);
    if (length < rule.min_length || length > rule.max_length) {
      return fault(size_sentence(rule.min_length, rule.max_length, "characters"));
    }
    if (rule.pattern && !re2::RE2::PartialMatch({text.data(), text.size()}, *rule.pattern)) {
      return fault(rule.pattern_message);
    }
    if (rule.format != nullptr && !rule.format->matches(text)) fault(std::string(rule.format->expectation));
  }

  void check_number(schema const& rule, json::value const& value) {
    auto const below = [&](std::int64_t bound) {
      if (value.is_int64()) return value.get_int64() < bound;
      return value.is_double() && value.get_double() < static_cast<double>(bound);
    };
    auto const above = [&](std::int64_t bound) {
      if (value.is_int64()) return value.get_int64() > bound;
      if (value.is_uint64()) return bound < 0 || value.get_uint64() > static_cast<std::uint64_t>(bound);
      return value.get_double() > static_cast<double>(bound);
    };
    if ((rule.minimum && below(*rule.minimum)) || (rule.maximum && above(*rule.maximum))) fault(range_sentence(rule));
  }

  void check_array(schema const& rule, json::array const& array, std::size_t depth) {
    if (array.size() < rule.min_items || array.size() > rule.max_items) {
      return fault(size_sentence(rule.min_items, rule.max_items, "items"));
    }
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (rule.unique_items && std::find(array.begin(), array.begin() + static_cast<std::ptrdiff_t>(i), array[i]) !=
                                   array.begin() + static_cast<std::ptrdiff_t>(i)) {
        fault_at(i, "must not repeat an earlier item");
      } else if (rule.items != nullptr) {
        check_at(i, *rule.items, array[i], depth);
      }
    }
  }

  void check_object(schema const& rule, json::object const& object, std::size_t depth) {
    if (object.size() < rule.min_properties || object.size() > rule.max_properties) {
      fault(size_sentence(rule.min_properties, rule.max_properties, "members"));
      if (object.size() > rule.max_properties) return;
    }
    if (!rule.discriminator.empty()) check_variant(rule, object, depth);
    for (auto const& name : rule.required) {
      if (!object.contains(name)) fault_at(std::string_view(name), "is required");
    }
    for (auto const& [key, value] : object) check_member(rule, key, value, depth);
  }

  void check_member(schema const& rule, std::string_view name, json::value const& value, std::size_t depth) {
    auto const known = find_named(rule.properties, name);
    if (known != rule.properties.end()) return check_at(name, *known->second, value, depth);
    if (rule.closed) return fault_at(name, known_members(rule));
    if (rule.names != nullptr) check_at(name, *rule.names, json::string(name), depth);
    if (rule.additional != nullptr) check_at(name, *rule.additional, value, depth);
  }

  /// The discriminator's value selects the one schema that the whole object must satisfy.
  void check_variant(schema const& rule, json::object const& object, std::size_t depth) {
    auto const* const value = object.if_contains(rule.discriminator);
    std::string_view const discriminator = rule.discriminator;
    if (value == nullptr) return fault_at(discriminator, "is required");
    auto const chosen = value->is_string() ? find_named(rule.variants, value->get_string()) : rule.variants.end();
    if (chosen != rule.variants.end()) return check_object(*chosen->second, object, depth);
    std::string choices;
    for (auto const& [name, variant] : rule.variants) append_choice(choices, name, ", ");
    fault_at(discriminator, "must be one of: " + choices);
  }

  static std::string known_members(schema const& rule) {
    std::string names;
    for (auto const& [name, property] : rule.properties) append_choice(names, name, ", ");
    return names.empty() ? "is not allowed here" : "is not allowed here; allowed are: " + names;
  }

  pointer_path path_;
  std::vector<field_error> faults_;
};

}  // namespace

std::vector<field_error> validate(schema const& rule, json::value const& value, std::string_view pointer) {
  walk walk(pointer);
  walk.check(rule, value, 0);
  return walk.take();
}

}  // namespace svc::http
