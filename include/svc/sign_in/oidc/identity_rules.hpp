#pragma once

#include "svc/domain/identity.hpp"
#include "svc/sign_in/oidc/settings.hpp"

#include <string_view>
#include <vector>

namespace svc::sign_in {

/// The statements of the configuration about an identity. A value.
struct identity_rules {
  bool email_is_verified = false;      ///< the token says so, or the provider's addresses are assumed to be
  bool domain_is_managed = false;      ///< the address is in the provider's own `domains`
  bool domain_is_foreign = false;      ///< the address is in `domains` of another provider
  bool manages_roles = false;          ///< the provider has a `groups_claim`
  std::vector<group_mapping> roles{};  ///< of the identity's groups, and the provider's default role
};

/// Applies the configuration to an identity. The default role is one of `roles` only for addresses of the provider's
/// domains. Pure.
identity_rules rules_for(oidc_settings const& settings, identity const& person);

/// Returns the provider that manages the address, which then signs in by no other method, or null. `email` is
/// normalised.
oidc_provider const* managing_provider(oidc_settings const& settings, std::string_view email);

}  // namespace svc::sign_in
