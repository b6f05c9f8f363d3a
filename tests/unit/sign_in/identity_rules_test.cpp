#include "svc/sign_in/oidc/identity_rules.hpp"

#include <doctest/doctest.h>

namespace svc::sign_in {
namespace {

oidc_settings two_providers() {
  oidc_settings out;
  out.providers.push_back({.id = "corp",
                           .domains = {"corp.example"},
                           .groups_claim = "groups",
                           .organization = "acme",
                           .role = "org_member"});
  out.providers.push_back(
      {.id = "partner", .domains = {"partner.example"}, .email_verified = unstated_email::assumed});
  out.groups.push_back({.provider = "corp", .group = "admins", .organization = "acme", .role = "org_admin"});
  out.groups.push_back({.provider = "partner", .group = "admins", .organization = "other", .role = "org_admin"});
  return out;
}

TEST_CASE("the configuration decides which provider manages an address, and whether the address is verified") {
  auto const settings = two_providers();
  struct {
    char const* name;
    identity person;
    bool verified, managed, foreign;
  } const cases[] = {
      {"verified and managed",
       {.provider = "corp", .email = "a@corp.example", .email_verified = true},
       true,
       true,
       false},
      {"not verified", {.provider = "corp", .email = "a@corp.example", .email_verified = false}, false, true, false},
      {"not stated", {.provider = "corp", .email = "a@corp.example"}, false, true, false},
      {"assumed", {.provider = "partner", .email = "a@partner.example"}, true, true, false},
      {"denied, although assumed",
       {.provider = "partner", .email = "a@partner.example", .email_verified = false},
       false,
       true,
       false},
      {"of the other provider", {.provider = "partner", .email = "a@corp.example"}, true, false, true},
      {"of nobody", {.provider = "corp", .email = "a@free.example", .email_verified = true}, true, false, false},
      {"below a managed domain",
       {.provider = "corp", .email = "a@x.corp.example", .email_verified = true},
       true,
       false,
       false},
      {"no address", {.provider = "partner"}, false, false, false},
      {"an unknown provider",
       {.provider = "gone", .email = "a@corp.example", .email_verified = true},
       false,
       false,
       false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const rules = rules_for(settings, c.person);
    CHECK(rules.email_is_verified == c.verified);
    CHECK(rules.domain_is_managed == c.managed);
    CHECK(rules.domain_is_foreign == c.foreign);
  }
}

TEST_CASE("roles follow from the groups of the same provider, and the default role only from a managed address") {
  auto const settings = two_providers();
  auto const managed =
      rules_for(settings, {.provider = "corp", .email = "a@corp.example", .groups = {"admins", "x"}});
  CHECK(managed.manages_roles);
  REQUIRE(managed.roles.size() == 2);
  CHECK(managed.roles[0].role == "org_member");
  CHECK(managed.roles[1].role == "org_admin");
  CHECK(managed.roles[1].organization == "acme");
  CHECK(rules_for(settings, {.provider = "corp", .email = "a@free.example"}).roles.empty());
  auto const partner = rules_for(settings, {.provider = "partner", .email = "a@partner.example"});
  CHECK_FALSE(partner.manages_roles);
  CHECK(partner.roles.empty());
}

TEST_CASE("an address is managed by the provider of its domain") {
  auto const settings = two_providers();
  CHECK(managing_provider(settings, "a@corp.example") == &settings.providers[0]);
  CHECK(managing_provider(settings, "a@partner.example") == &settings.providers[1]);
  CHECK(managing_provider(settings, "a@free.example") == nullptr);
  CHECK(managing_provider(settings, "") == nullptr);
}

}  // namespace
}  // namespace svc::sign_in
