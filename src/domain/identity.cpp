#include "svc/domain/identity.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace svc {
namespace {

identity_decision refused(identity_refusal reason) {
  return {.reason = reason};
}

/// Decides about an identity that no account has. Requires that the provider vouches for its address.
identity_decision decide_new_identity(identity_facts const& facts) {
  if (facts.domain_is_managed) {
    if (facts.email_account && facts.account_has_identity) return refused(identity_refusal::reassigned_email);
    if (facts.email_account) return {.action = identity_action::join, .user = facts.email_account};
    if (facts.gives_membership || facts.invitation_fits) return {.action = identity_action::create};
    return refused(identity_refusal::no_membership);
  }
  if (facts.domain_is_foreign) return refused(identity_refusal::foreign_domain);
  if (facts.email_account) return refused(identity_refusal::account_exists);
  if (facts.invitation_fits) return {.action = identity_action::create};
  return refused(identity_refusal::no_membership);
}

constexpr std::array<std::string_view, 2> mapped_organization_roles{"org_member", "org_admin"};
constexpr std::array<std::string_view, 3> project_roles{"project_viewer", "project_editor", "project_admin"};

/// Returns the rank of a role among those that a mapping may give at its place, from 1; 0 for any other text.
std::size_t rank_of(placed_role const& place) {
  auto const rank = [&](auto const& all) -> std::size_t {
    auto const found = std::ranges::find(all, place.role);
    return found == all.end() ? 0 : static_cast<std::size_t>(found - all.begin()) + 1;
  };
  return place.project ? rank(project_roles) : rank(mapped_organization_roles);
}

bool same_place(placed_role const& a, placed_role const& b) {
  return a.organization == b.organization && a.project == b.project;
}

void add_highest(std::vector<placed_role>& roles, placed_role const& role) {
  auto const found = std::ranges::find_if(roles, [&](placed_role const& each) { return same_place(each, role); });
  if (found == roles.end())
    roles.push_back(role);
  else if (rank_of(role) > rank_of(*found))
    found->role = role.role;
}

/// Returns true if a role in one of the organization's projects was given by hand.
bool has_project_role_by_hand(std::span<held_role const> held, uuid organization) {
  return std::ranges::any_of(held, [&](held_role const& each) {
    return !each.managed && each.place.project && each.place.organization == organization;
  });
}

void remove_unwanted(std::span<held_role const> held, std::span<placed_role const> wanted, bool in_project,
                     std::vector<role_change>& out) {
  for (auto const& each : held) {
    auto const stays = [&](placed_role const& want) { return same_place(want, each.place); };
    if (!each.managed || each.place.project.has_value() != in_project || std::ranges::any_of(wanted, stays)) continue;
    if (!in_project && has_project_role_by_hand(held, each.place.organization))
      out.push_back({.kind = role_change_kind::release,
                     .place = {.organization = each.place.organization, .role = "org_member"},
                     .former = each.place.role});
    else
      out.push_back({.kind = role_change_kind::remove, .place = each.place});
  }
}

}  // namespace

identity_decision decide_identity(identity_facts const& facts, std::string_view email) {
  if (facts.refreshed_user) {
    if (facts.known_user != facts.refreshed_user) return refused(identity_refusal::other_person);
    return {.action = identity_action::sign_in, .user = facts.known_user};
  }
  if (facts.known_user) return {.action = identity_action::sign_in, .user = facts.known_user};
  if (email.empty()) return refused(identity_refusal::no_email);
  if (!facts.email_is_verified) return refused(identity_refusal::unverified_email);
  return decide_new_identity(facts);
}

std::string_view to_string(identity_refusal reason) {
  switch (reason) {
    case identity_refusal::none:
      return "none";
    case identity_refusal::other_person:
      return "other_person";
    case identity_refusal::no_email:
      return "no_email";
    case identity_refusal::unverified_email:
      return "unverified_email";
    case identity_refusal::foreign_domain:
      return "foreign_domain";
    case identity_refusal::reassigned_email:
      return "reassigned_email";
    case identity_refusal::account_exists:
      return "account_exists";
    case identity_refusal::no_membership:
      return "no_membership";
  }
  return "none";
}

std::string refusal_sentence(identity_refusal reason, std::string_view email) {
  std::string const address(email);
  switch (reason) {
    case identity_refusal::none:
      return {};
    case identity_refusal::other_person:
      return "This is not the account of your session. Sign out first to use another account.";
    case identity_refusal::no_email:
      return "The identity provider did not send an e-mail address. Its administrator can allow that.";
    case identity_refusal::unverified_email:
      return "The identity provider has not verified " + address + ". Its administrator can verify the address.";
    case identity_refusal::foreign_domain:
      return "Another identity provider manages " + address + ". Choose that provider on the sign-in page.";
    case identity_refusal::reassigned_email:
      return "The account of " + address +
             " belongs to another person of the same identity provider. An operator of this service can change that.";
    case identity_refusal::account_exists:
      return "An account of " + address +
             " exists, and this identity provider does not manage it. Sign in as usual, "
             "or ask an operator of this service.";
    case identity_refusal::no_membership:
      return address + " is not a member of any organization. An administrator of yours can invite the address.";
  }
  return {};
}

std::vector<placed_role> highest_roles(std::span<placed_role const> mapped) {
  std::vector<placed_role> out;
  for (auto const& each : mapped) {
    if (rank_of(each) == 0) continue;
    add_highest(out, each);
    if (each.project) add_highest(out, {.organization = each.organization, .role = "org_member"});
  }
  std::ranges::sort(out, {}, [](placed_role const& each) { return std::tuple(each.project, each.organization); });
  return out;
}

std::vector<role_change> role_changes(std::span<held_role const> held, std::span<placed_role const> wanted) {
  std::vector<role_change> out;
  for (auto const& want : wanted) {
    auto const found = std::ranges::find_if(held, [&](auto const& each) { return same_place(each.place, want); });
    if (found == held.end())
      out.push_back({.kind = role_change_kind::grant, .place = want});
    else if (found->managed && found->place.role != want.role)
      out.push_back({.kind = role_change_kind::change, .place = want, .former = found->place.role});
  }
  remove_unwanted(held, wanted, true, out);
  remove_unwanted(held, wanted, false, out);
  return out;
}

std::vector<role_change> released_roles(std::span<held_role const> held) {
  std::vector<role_change> out;
  for (auto const& each : held)
    if (each.managed)
      out.push_back({.kind = role_change_kind::release, .place = each.place, .former = each.place.role});
  return out;
}

}  // namespace svc
