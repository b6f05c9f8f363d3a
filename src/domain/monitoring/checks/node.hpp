#pragma once

#include "svc/domain/monitoring/checks/assertion.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace svc::checks {

/// One thing that a comparison is about. Points into the answer.
using node = std::variant<std::string_view, std::int64_t, boost::json::value const*>;

/// The number that a text spells, spaces around it allowed. Exact for every int64 and every double.
std::optional<long double> number_in(std::string_view text);
/// A number, or a text that spells one.
std::optional<long double> number_of(node const& n);
/// As it is shown and searched: texts as they are, everything else as JSON.
std::string text_of(node const& n);
std::string text_of(expected_value const& e);

bool is_empty(node const& n);
bool is_equal(node const& n, expected_value const& e);
bool has(node const& n, expected_value const& e);

}  // namespace svc::checks
