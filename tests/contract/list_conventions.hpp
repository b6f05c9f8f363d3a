#pragma once

#include "contract/contract_fixture.hpp"

#include <optional>
#include <string_view>

namespace svc::test {

/// The operation's parameter with that name.
std::optional<declared_parameter> parameter(contract_fixture& s, http::operation const& op, std::string_view name);

/// Checks pages, bounds, order and search of every list, and `check_encoding` on its first page; returns how many of
/// them were encoded.
int check_lists(contract_fixture& s, bool (*check_encoding)(contract_fixture&, request const&));

}  // namespace svc::test
