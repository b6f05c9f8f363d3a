#pragma once

#include "http/contract_operations.hpp"
#include "svc/http/contract.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::http {

/// A tree of path segments. Built at start, then immutable; refers to the table it was built from.
class router {
 public:
  /// Throws `std::runtime_error` when two operations have the same method and shape of path.
  explicit router(operation_table const& table);

  /// A literal segment takes precedence over a parameter. If the path fails after the literal, the router
  /// tries the parameter. Path parameters are checked only when the method exists.
  route find(std::string_view method, std::vector<std::string> const& segments) const;

 private:
  struct node {
    std::map<std::string, std::unique_ptr<node>, std::less<>> literals{};
    std::unique_ptr<node> parameter{};
    std::vector<std::size_t> operations{};  ///< positions in the table, one per method
  };

  node const* match(node const& node, std::vector<std::string> const& segments, std::size_t position,
                    std::vector<std::string_view>& values) const;
  operation const* with_method(node const& node, std::string_view method) const;
  std::vector<std::string> allowed(node const& node) const;
  void read_path(route& found, std::vector<std::string_view> const& values) const;

  operation_table const& table_;
  node root_;
};

/// Adds the value's faults, with the parameter's name as `field`. The text is read as the parameter's type:
/// decimal digits without leading zeros, `true` or `false`, or itself.
void check_parameter(parameter const& rule, std::string_view text, std::vector<field_error>& faults);

/// Checks a decoded query: unknown names (unless `lenient`), repeats, missing ones, values; adds defaults in
/// the order of the declarations.
result<parameter_list> check_query(std::vector<parameter> const& rules, bool lenient,
                                   std::vector<std::pair<std::string, std::string>> const& query);

}  // namespace svc::http
