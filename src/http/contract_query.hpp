#pragma once

#include "http/contract_operations.hpp"
#include "svc/http/contract.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::http {

/// Adds the value's faults, with the parameter's name as `field`. The text is read as the parameter's type:
/// decimal digits without leading zeros, `true` or `false`, or itself.
void check_parameter(parameter const& rule, std::string_view text, std::vector<field_error>& faults);

/// Checks a decoded query: unknown names (unless `lenient`), repeats, missing ones, values; adds defaults in
/// the order of the declarations.
result<parameter_list> check_query(std::vector<parameter> const& rules, bool lenient,
                                   std::vector<std::pair<std::string, std::string>> const& query);

}  // namespace svc::http
