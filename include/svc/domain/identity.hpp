#pragma once

#include "svc/core/uuid.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// The person as an identity provider's verified ID token describes it. A value.
struct identity {
  std::string provider{};  ///< id of the provider's table in the configuration
  std::string issuer{};
  std::string subject{};                 ///< `sub`: 1 to 255 bytes, never reassigned by the issuer
  std::string email{};                   ///< normalised; empty: the token has no usable address
  std::optional<bool> email_verified{};  ///< empty: the token does not say
  std::string name{};                    ///< empty: the token has none
  std::vector<std::string> groups{};     ///< of the provider's `groups_claim`
};

/// The facts that decide about a sign-in with an identity, from one snapshot inside the sign-in's transaction.
struct identity_facts {
  // from the configuration and the token
  bool email_is_verified = false;  ///< the token says so, or does not say and the provider's addresses are assumed
  bool domain_is_managed = false;  ///< the address is in the provider's own `domains`
  bool domain_is_foreign = false;  ///< the address is in `domains` of other providers only
  bool gives_membership = false;   ///< the provider's default role, or a mapped role
  // from the database
  std::optional<uuid> known_user{};     ///< account that has this identity (issuer, subject)
  std::optional<uuid> email_account{};  ///< account that has the address
  bool account_has_identity = false;    ///< `email_account` has another identity of the same provider
  bool invitation_fits = false;         ///< the sign-in accepts an open invitation for the same address
  /// The user of the session that a fresh sign-in replaces; empty for an ordinary sign-in.
  std::optional<uuid> refreshed_user{};
};

enum class identity_action : std::uint8_t {
  sign_in,  ///< the account that has the identity
  join,     ///< the account of the address gets the identity, and the provider becomes its only method
  create,   ///< a new account with the identity
  refuse,
};

/// The reason of `refuse`.
enum class identity_refusal : std::uint8_t {
  none,
  other_person,      ///< a fresh sign-in by somebody else than the session's user
  no_email,          ///< the token has no address
  unverified_email,  ///< the provider does not vouch for the address
  foreign_domain,    ///< another provider manages the address
  reassigned_email,  ///< the account already has another identity of this provider
  account_exists,    ///< an account has the address, and the provider does not manage it
  no_membership,     ///< nothing makes the person a member
};

/// Returns the enumerator's name, for the log.
std::string_view to_string(identity_refusal reason);

struct identity_decision {
  identity_action action = identity_action::refuse;
  identity_refusal reason = identity_refusal::none;
  std::optional<uuid> user{};  ///< of `sign_in` and `join`

  friend bool operator==(identity_decision const&, identity_decision const&) = default;
};

/// Decides about a sign-in with an identity. Pure; `email` is only compared with the empty text.
identity_decision decide_identity(identity_facts const& facts, std::string_view email);

/// Returns the public sentence of a refusal. It names the address and who can help; empty for `none`.
std::string refusal_sentence(identity_refusal reason, std::string_view email);

/// A role of one person in an organisation, or in one of its projects. A value.
struct placed_role {
  uuid organization;
  std::optional<uuid> project{};  ///< empty: the role is one of the organisation
  std::string role{};

  friend bool operator==(placed_role const&, placed_role const&) = default;
};

/// A stored role.
struct held_role {
  placed_role place{};
  bool managed = false;  ///< true: a provider gave it (`source` is set); false: given by hand
};

enum class role_change_kind : std::uint8_t {
  grant,   ///< a role where there was none
  change,  ///< another role than before
  remove,
  release,  ///< `place.role` counts as given by hand from now on
};

struct role_change {
  role_change_kind kind{};
  placed_role place{};   ///< with the new role; for `remove`, with the role that was stored
  std::string former{};  ///< for `change` and `release`

  friend bool operator==(role_change const&, role_change const&) = default;
};

/// Returns the roles that a provider gives: for each place the highest of its mappings, and `org_member` or more for
/// each organisation in whose projects they give a role. Names that are no roles, and `org_owner`, are left out.
std::vector<placed_role> highest_roles(std::span<placed_role const> mapped);

/// Returns the changes that make the managed roles equal to `wanted`. Roles given by hand stay as they are, also if a
/// mapping names their place. A person who has a role in a project by hand stays `org_member` of its organisation, by
/// hand. Order: organisations before their projects when roles are granted, after them when roles are removed.
std::vector<role_change> role_changes(std::span<held_role const> held, std::span<placed_role const> wanted);

/// Returns the changes for a provider that maps no groups: it manages no role any more.
std::vector<role_change> released_roles(std::span<held_role const> held);

}  // namespace svc
