#include "http/router.hpp"

#include "http/contract_pointer.hpp"
#include "http/contract_query.hpp"

namespace svc::http {

router::router(operation_table const& table) : table_(table) {
  for (auto const& op : table.operations) {
    node* at = &root_;
    for (auto const segment : split_template(op.path)) {
      auto& next = is_parameter(segment) ? at->parameter : at->literals[std::string(segment)];
      if (!next) next = std::make_unique<node>();
      at = next.get();
    }
    if (with_method(*at, op.method) != nullptr) {
      refuse_contract(pointer_path("/paths"), op.id + " has the method and path of another operation");
    }
    at->operations.push_back(op.index);
  }
}

route router::find(std::string_view method, std::vector<std::string> const& segments) const {
  route found;
  std::vector<std::string_view> values;
  auto const* const at = match(root_, segments, 0, values);
  if (at == nullptr) return found;
  found.head = method == "HEAD";
  found.found = with_method(*at, found.head ? "GET" : method);
  if (found.found == nullptr) {
    found.head = false;
    found.allowed = allowed(*at);
  } else {
    read_path(found, values);
  }
  return found;
}

router::node const* router::match(node const& from, std::vector<std::string> const& segments, std::size_t position,
                                  std::vector<std::string_view>& values) const {
  if (position == segments.size()) return from.operations.empty() ? nullptr : &from;
  if (auto const literal = from.literals.find(segments[position]); literal != from.literals.end()) {
    if (auto const* const found = match(*literal->second, segments, position + 1, values)) return found;
  }
  if (!from.parameter) return nullptr;
  values.push_back(segments[position]);
  if (auto const* const found = match(*from.parameter, segments, position + 1, values)) return found;
  values.pop_back();
  return nullptr;
}

operation const* router::with_method(node const& at, std::string_view method) const {
  for (auto const index : at.operations) {
    if (table_.operations[index].method == method) return &table_.operations[index];
  }
  return nullptr;
}

std::vector<std::string> router::allowed(node const& at) const {
  std::vector<std::string> methods;
  for (std::string_view const method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    if (with_method(at, method) == nullptr) continue;
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

}  // namespace svc::http
