#pragma once

#include "contract/contract_fixture.hpp"

#include <optional>
#include <string_view>

namespace svc::test {

/// The operation's parameter of that name.
std::optional<declared_parameter> parameter(contract_fixture& s, http::operation const& op, std::string_view name);

/// Pages, bounds, order and search of every list, with `check_encoding` for its first page: how many of them that
/// says were encoded.
int check_lists(contract_fixture& s, bool (*check_encoding)(contract_fixture&, request const&));

}  // namespace svc::test
