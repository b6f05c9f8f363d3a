#pragma once

#include "monitoring/checks/check_types.hpp"
#include "svc/domain/monitoring/checks/assertion.hpp"

// The members of a `config` that several types have.

namespace svc::checks {

/// Reads a text that may have variables. A fault in its variables is a fault of the member. `most` bounds the bytes
/// of the member, and of the text with its values. If the member is only a reference, `filled` bounds the text with
/// its values instead.
text_with_variables text_of_member(member_reader& config, std::string_view name, std::size_t most,
                                   std::size_t filled = 0);
egress::ip_family family_of(member_reader& config);
std::vector<assertion_settings> assertions_of(member_reader& config);
std::optional<expected_value> expected_of(member_reader& config, std::string_view name);

/// Calls `visit` with the patterns of assertions that have one.
void visit_patterns_of(std::vector<assertion> const& assertions, std::function<void(re2::RE2 const&)> const& visit);

}  // namespace svc::checks
