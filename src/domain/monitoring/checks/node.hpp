#pragma once

#include "svc/domain/monitoring/checks/assertion.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace svc::checks {

/// One subject of a comparison. Points into the answer.
using node = std::variant<std::string_view, std::int64_t, boost::json::value const*>;

/// Returns the number that a text spells, with optional spaces around it. Exact for every int64 and every
/// double.
std::optional<long double> number_in(std::string_view text);
/// Returns the node's number, or the number that its text spells.
std::optional<long double> number_of(node const& n);
/// Returns the form that is shown and searched: texts unchanged, all other values as JSON.
std::string text_of(node const& n);
std::string text_of(expected_value const& e);

bool is_empty(node const& n);
bool is_equal(node const& n, expected_value const& e);
bool has(node const& n, expected_value const& e);

}  // namespace svc::checks
