#include "http/router.hpp"

#include "http/contract_pointer.hpp"
#include "http/contract_schema.hpp"
#include "svc/core/numbers.hpp"
#include "svc/http/json.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace svc::http {
namespace {

namespace json = boost::json;

/// `-?(0|[1-9][0-9]*)`, so that a number has one spelling.
bool is_decimal(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The JSON value that the text stands for; a string when it is none of the other types allowed here.
json::value typed(unsigned types, std::string_view text) {
  if ((types & json_integer) != 0 && is_decimal(text)) {
    if (auto const number = parse_number<std::int64_t>(text)) return *number;
    // Too big for any bound; its sign is all that the range check needs.
    return text.front() == '-' ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
  }
  if ((types & json_boolean) != 0 && (text == "true" || text == "false")) return text == "true";
  return json::value(text);
}

std::string as_text(json::value const& value) {
  return value.is_string() ? std::string(value.get_string()) : serialize(value);
}

/// A name that a client chose, shortened if needed, as a fault shows it.
std::string shown(std::string_view name) {
  pointer_path bounded;
  bounded.push(name);
  return name.size() > 128 ? bounded.text().substr(1) : std::string(name);
}

std::string unknown_sentence(std::vector<parameter> const& rules) {
  std::string names;
  for (auto const& rule : rules) names += (names.empty() ? "" : ", ") + rule.name;
  return names.empty() ? "is unknown; this operation takes no query parameters" : "is unknown; known are: " + names;
}

}  // namespace

router::router(operation_table const& table) : table_(table) {
  for (auto const& op : table.operations) {
    node* position = &root_;
    for (auto const segment : split_template(op.path)) {
      auto& next = is_parameter(segment) ? position->parameter : position->literals[std::string(segment)];
      if (!next) next = std::make_unique<node>();
      position = next.get();
    }
    if (with_method(*position, op.method) != nullptr) {
      refuse_contract(pointer_path("/paths"), op.id + " has the method and path of another operation");
    }
    position->operations.push_back(op.index);
  }
}

route router::find(std::string_view method, std::vector<std::string> const& segments) const {
  route found;
  std::vector<std::string_view> values;
  auto const* const node = match(root_, segments, 0, values);
  if (node == nullptr) return found;
  found.head = method == "HEAD";
  found.found = with_method(*node, found.head ? "GET" : method);
  if (found.found == nullptr) {
    found.head = false;
    found.allowed = allowed(*node);
  } else {
    read_path(found, values);
  }
  return found;
}

router::node const* router::match(node const& node, std::vector<std::string> const& segments, std::size_t position,
                                  std::vector<std::string_view>& values) const {
  if (position == segments.size()) return node.operations.empty() ? nullptr : &node;
  if (auto const literal = node.literals.find(segments[position]); literal != node.literals.end()) {
    if (auto const* const found = match(*literal->second, segments, position + 1, values)) return found;
  }
  if (!node.parameter) return nullptr;
  values.push_back(segments[position]);
  if (auto const* const found = match(*node.parameter, segments, position + 1, values)) return found;
  values.pop_back();
  return nullptr;
}

operation const* router::with_method(node const& node, std::string_view method) const {
  for (auto const index : node.operations) {
    if (table_.operations[index].method == method) return &table_.operations[index];
  }
  return nullptr;
}

std::vector<std::string> router::allowed(node const& node) const {
  std::vector<std::string> methods;
  for (std::string_view const method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    if (with_method(node, method) == nullptr) continue;
    methods.emplace_back(method);
    if (method == "GET") methods.emplace_back("HEAD");
  }
  methods.emplace_back("OPTIONS");
  return methods;
}

void router::read_path(route& found, std::vector<std::string_view> const& values) const {
  auto const& rules = table_.rules[found.found->index].path;
  std::vector<field_error> faults;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    check_parameter(rules[i], values[i], faults);
    found.path.emplace_back(rules[i].name, values[i]);
  }
  if (!faults.empty()) found.bad_parameter.emplace(errc::validation_failed, std::string(), std::move(faults));
}

void check_parameter(parameter const& rule, std::string_view text, std::vector<field_error>& faults) {
  for (auto& fault : validate(*rule.rule, typed(rule.rule->types, text), {})) {
    faults.push_back({rule.name, std::move(fault.message)});
  }
}

result<parameter_list> check_query(std::vector<parameter> const& rules, bool lenient,
                                   std::vector<std::pair<std::string, std::string>> const& query) {
  std::vector<field_error> faults;
  parameter_list values;
  for (auto const& rule : rules) {
    auto const same = [&](auto const& entry) { return entry.first == rule.name; };
    auto const given = std::find_if(query.begin(), query.end(), same);
    if (given == query.end()) {
      if (rule.required) faults.push_back({rule.name, "is required"});
      if (rule.rule->default_value) values.emplace_back(rule.name, as_text(*rule.rule->default_value));
      continue;
    }
    if (std::any_of(given + 1, query.end(), same)) {
      faults.push_back({rule.name, "must be given once"});
      continue;
    }
    check_parameter(rule, given->second, faults);
    values.emplace_back(rule.name, given->second);
  }
  for (auto const& entry : query) {
    if (lenient || faults.size() >= max_faults) break;
    auto const same = [&](auto const& rule) { return rule.name == entry.first; };
    if (std::none_of(rules.begin(), rules.end(), same))
      faults.push_back({shown(entry.first), unknown_sentence(rules)});
  }
  if (!faults.empty()) return error(errc::validation_failed, {}, std::move(faults));
  return values;
}

}  // namespace svc::http
