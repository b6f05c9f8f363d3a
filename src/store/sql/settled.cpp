#include "store/sql/settled.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace svc::store {

namespace {

constexpr std::array<std::pair<std::string_view, errc>, 9> codes{{
    {"token_revoked", errc::token_revoked},
    {"secret_rotated", errc::secret_rotated},
    {"token_disabled", errc::token_disabled},
    {"token_expired", errc::token_expired},
    {"owner_disabled", errc::owner_disabled},
    {"owner_removed", errc::owner_removed},
    {"owner_without_role", errc::owner_without_role},
    {"project_archived", errc::project_archived},
    {"permission_denied", errc::permission_denied},
}};

}  // namespace

errc refusal_named(std::string_view code) {
  auto const found = std::ranges::find_if(codes, [&](auto const& c) { return c.first == code; });
  return found == codes.end() ? errc::invalid_token : found->second;
}

}  // namespace svc::store
