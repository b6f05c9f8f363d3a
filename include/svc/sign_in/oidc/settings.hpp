#pragma once

#include "svc/core/secret.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc::sign_in {

/// The meaning of an ID token without `email_verified`.
enum class unstated_email : std::uint8_t {
  unverified,  ///< the address is not verified
  assumed,     ///< the operator vouches that the provider verifies all addresses
};

/// One `[[sign_in.oidc]]` table: an identity provider that the operator trusts. A value.
struct oidc_provider {
  std::string id{};      ///< part of the redirect path, of metrics and of stored identities
  std::string name{};    ///< for the button on the sign-in page
  std::string issuer{};  ///< exactly as the provider's discovery document and tokens spell it
  std::string client_id{};
  secret_string client_secret{};
  std::vector<std::string> scopes{"openid", "email", "profile"};
  std::vector<std::string> domains{};  ///< domains whose addresses the provider manages, in lower case
  unstated_email email_verified = unstated_email::unverified;
  std::string groups_claim{};  ///< name of the list in the ID token; empty: no roles are mapped
  std::string organization{};  ///< slug or id: the organization that new people join with `role`; empty: none
  std::string role{};          ///< org_member or org_admin; empty: none
};

/// One `[[sign_in.groups]]` table: a role that members of a provider's group have. A value.
struct group_mapping {
  std::string provider{};
  std::string group{};         ///< exactly as the claim spells it
  std::string organization{};  ///< slug or id
  std::string project{};       ///< slug in the organization, or id; empty: the role is one of the organization
  std::string role{};          ///< org_member or org_admin; with a project, project_viewer, _editor or _admin
};

/// Returns true for an https URL of at most 500 bytes without query and fragment. Total.
bool is_issuer(std::string_view text);

inline constexpr std::size_t most_oidc_providers = 16, most_group_mappings = 200;

/// Everything that the operator configured for OpenID Connect. Immutable after the start, shared by all threads.
struct oidc_settings {
  std::string public_url{};  ///< without a trailing slash
  std::vector<oidc_provider> providers{};
  std::vector<group_mapping> groups{};

  /// Returns null if no provider has that id.
  oidc_provider const* find(std::string_view provider) const {
    for (auto const& each : providers)
      if (each.id == provider) return &each;
    return nullptr;
  }
  /// Returns the address to which the provider sends the browser back, one for each provider.
  std::string redirect_url(std::string_view provider) const {
    return std::string(public_url).append("/dashboard/v1/sign-in/oidc/").append(provider).append("/callback");
  }
};

}  // namespace svc::sign_in
