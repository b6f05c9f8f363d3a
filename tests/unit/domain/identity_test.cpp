#include "svc/domain/identity.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace svc {
namespace {

uuid numbered_id(std::uint8_t number) {
  uuid out;
  out.bytes[15] = number;
  return out;
}

TEST_CASE("the identity decides what a sign-in does: known, managed address, invitation, or refused") {
  auto const ann = numbered_id(1), ben = numbered_id(2);
  using enum identity_action;
  using reason = identity_refusal;
  struct {
    char const* name;
    identity_facts facts;
    identity_decision expected;
    char const* email = "ann@corp.example";
  } const cases[] = {
      {.name = "a known identity", .facts = {.known_user = ann}, .expected = {sign_in, reason::none, ann}},
      {.name = "a known identity, whatever its address is now",
       .facts = {.domain_is_foreign = true, .known_user = ann, .email_account = ben},
       .expected = {sign_in, reason::none, ann}},
      {.name = "a known identity without an address",
       .facts = {.known_user = ann},
       .expected = {sign_in, reason::none, ann},
       .email = ""},

      {.name = "a managed address joins its account",
       .facts = {.email_is_verified = true, .domain_is_managed = true, .email_account = ben},
       .expected = {join, reason::none, ben}},
      {.name = "a managed address joins even without a role to give",
       .facts =
           {.email_is_verified = true, .domain_is_managed = true, .gives_membership = false, .email_account = ben},
       .expected = {join, reason::none, ben}},
      {.name = "a managed address without account, with a role",
       .facts = {.email_is_verified = true, .domain_is_managed = true, .gives_membership = true},
       .expected = {create}},
      {.name = "a managed address without account, with an invitation",
       .facts = {.email_is_verified = true, .domain_is_managed = true, .invitation_fits = true},
       .expected = {create}},
      {.name = "a managed address without account, role and invitation",
       .facts = {.email_is_verified = true, .domain_is_managed = true},
       .expected = {refuse, reason::no_membership}},
      {.name = "a reassigned address: the account has another identity of this provider",
       .facts = {.email_is_verified = true,
                 .domain_is_managed = true,
                 .gives_membership = true,
                 .email_account = ben,
                 .account_has_identity = true},
       .expected = {refuse, reason::reassigned_email}},
      {.name = "a managed address that is not verified",
       .facts = {.domain_is_managed = true, .gives_membership = true, .email_account = ben},
       .expected = {refuse, reason::unverified_email}},
      {.name = "no address",
       .facts = {.email_is_verified = true, .domain_is_managed = true, .gives_membership = true},
       .expected = {refuse, reason::no_email},
       .email = ""},

      {.name = "an invitation of the same verified address",
       .facts = {.email_is_verified = true, .invitation_fits = true},
       .expected = {create}},
      {.name = "an invitation of an address that is not verified",
       .facts = {.invitation_fits = true},
       .expected = {refuse, reason::unverified_email}},
      {.name = "an invitation never opens an existing account",
       .facts = {.email_is_verified = true, .email_account = ben, .invitation_fits = true},
       .expected = {refuse, reason::account_exists}},
      {.name = "an invitation for an address of another provider's domain",
       .facts = {.email_is_verified = true, .domain_is_foreign = true, .invitation_fits = true},
       .expected = {refuse, reason::foreign_domain}},
      {.name = "an account of another provider's domain",
       .facts = {.email_is_verified = true, .domain_is_foreign = true, .email_account = ben},
       .expected = {refuse, reason::foreign_domain}},
      {.name = "a default role is only for managed addresses",
       .facts = {.email_is_verified = true, .gives_membership = true},
       .expected = {refuse, reason::no_membership}},
      {.name = "an account with the verified address that nobody manages",
       .facts = {.email_is_verified = true, .gives_membership = true, .email_account = ben},
       .expected = {refuse, reason::account_exists}},

      {.name = "a fresh sign-in by the same person",
       .facts = {.known_user = ann, .refreshed_user = ann},
       .expected = {sign_in, reason::none, ann}},
      {.name = "a fresh sign-in by somebody else",
       .facts = {.known_user = ben, .refreshed_user = ann},
       .expected = {refuse, reason::other_person}},
      {.name = "a fresh sign-in never joins",
       .facts = {.email_is_verified = true, .domain_is_managed = true, .email_account = ann, .refreshed_user = ann},
       .expected = {refuse, reason::other_person}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(decide_identity(c.facts, c.email) == c.expected);
  }
}

TEST_CASE("a refusal names the address and who can help") {
  for (auto const reason :
       {identity_refusal::unverified_email, identity_refusal::foreign_domain, identity_refusal::reassigned_email,
        identity_refusal::account_exists, identity_refusal::no_membership})
    CHECK(refusal_sentence(reason, "ann@corp.example").find("ann@corp.example") != std::string::npos);
  CHECK(refusal_sentence(identity_refusal::none, "ann@corp.example").empty());
  CHECK(to_string(identity_refusal::other_person) == "other_person");
  CHECK(to_string(identity_refusal::no_membership) == "no_membership");
}

std::string described(std::vector<placed_role> const& roles) {
  std::string out;
  for (auto const& each : roles) {
    out += std::to_string(each.organization.bytes[15]);
    if (each.project) out += "/" + std::to_string(each.project->bytes[15]);
    out += "=" + each.role + " ";
  }
  return out;
}

placed_role in_organization(std::uint8_t organization, std::string role) {
  return {.organization = numbered_id(organization), .role = std::move(role)};
}
placed_role in_project(std::uint8_t organization, std::uint8_t project, std::string role) {
  return {.organization = numbered_id(organization), .project = numbered_id(project), .role = std::move(role)};
}

TEST_CASE("the highest mapped role of each place wins, and a project's role implies org_member") {
  struct {
    char const* name;
    std::vector<placed_role> mapped;
    char const* expected;
  } const cases[] = {
      {"nothing", {}, ""},
      {"one role", {in_organization(1, "org_member")}, "1=org_member "},
      {"the higher one, in either order",
       {in_organization(1, "org_admin"), in_organization(1, "org_member"), in_organization(2, "org_member"),
        in_organization(2, "org_admin")},
       "1=org_admin 2=org_admin "},
      {"a project implies membership", {in_project(1, 5, "project_viewer")}, "1=org_member 1/5=project_viewer "},
      {"and does not lower an administrator",
       {in_organization(1, "org_admin"), in_project(1, 5, "project_viewer")},
       "1=org_admin 1/5=project_viewer "},
      {"the highest of a project",
       {in_project(1, 5, "project_viewer"), in_project(1, 5, "project_admin"), in_project(1, 5, "project_editor")},
       "1=org_member 1/5=project_admin "},
      {"owners are never mapped", {in_organization(1, "org_owner")}, ""},
      {"no role of the other kind", {in_organization(1, "project_admin"), in_project(1, 5, "org_admin")}, ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(described(highest_roles(c.mapped)) == c.expected);
  }
}

std::string described(std::vector<role_change> const& changes) {
  constexpr char const* names[] = {"+", "~", "-", "!"};
  std::string out;
  for (auto const& each : changes) {
    out += names[static_cast<int>(each.kind)] + described(std::vector{each.place});
    if (!each.former.empty()) out += "(" + each.former + ") ";
  }
  return out;
}

TEST_CASE("managed roles follow the mapping, and roles given by hand stay") {
  struct {
    char const* name;
    std::vector<held_role> held;
    std::vector<placed_role> wanted;
    char const* expected;
  } const cases[] = {
      {"nothing to do", {{in_organization(1, "org_member"), true}}, {in_organization(1, "org_member")}, ""},
      {"grants, the organization first",
       {},
       {in_organization(1, "org_member"), in_project(1, 5, "project_viewer")},
       "+1=org_member +1/5=project_viewer "},
      {"changes",
       {{in_organization(1, "org_admin"), true}},
       {in_organization(1, "org_member")},
       "~1=org_member (org_admin) "},
      {"removes, the project first",
       {{in_organization(1, "org_member"), true}, {in_project(1, 5, "project_viewer"), true}},
       {},
       "-1/5=project_viewer -1=org_member "},
      {"by hand, and mapped higher",
       {{in_organization(1, "org_member"), false}},
       {in_organization(1, "org_admin")},
       ""},
      {"by hand, and not mapped", {{in_organization(1, "org_owner"), false}}, {}, ""},
      {"by hand in one place, managed in another",
       {{in_organization(1, "org_member"), false}, {in_project(1, 5, "project_admin"), true}},
       {in_project(1, 6, "project_viewer")},
       "+1/6=project_viewer -1/5=project_admin "},
      {"a project's role by hand keeps the membership, by hand",
       {{in_organization(1, "org_admin"), true}, {in_project(1, 5, "project_admin"), false}},
       {},
       "!1=org_member (org_admin) "},
      {"but not in another organization",
       {{in_organization(1, "org_admin"), true}, {in_project(2, 5, "project_admin"), false}},
       {},
       "-1=org_admin "},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(described(role_changes(c.held, c.wanted)) == c.expected);
  }
}

TEST_CASE("a provider that maps no groups any more releases its roles, and takes none") {
  std::vector<held_role> const held{{in_organization(1, "org_admin"), true},
                                    {in_organization(2, "org_member"), false}};
  CHECK(described(released_roles(held)) == "!1=org_admin (org_admin) ");
}

}  // namespace
}  // namespace svc
