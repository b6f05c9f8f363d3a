#include "svc/sign_in/oidc/identity_rules.hpp"

#include "svc/sign_in/browser_input.hpp"

#include <algorithm>

namespace svc::sign_in {

oidc_provider const* managing_provider(oidc_settings const& settings, std::string_view email) {
  if (email.empty()) return nullptr;
  auto const domain = domain_of(email);
  auto const found = std::ranges::find_if(settings.providers, [&](oidc_provider const& each) {
    return std::ranges::find(each.domains, domain) != each.domains.end();
  });
  return found == settings.providers.end() ? nullptr : &*found;
}

identity_rules rules_for(oidc_settings const& settings, identity const& person) {
  identity_rules out;
  auto const* const provider = settings.find(person.provider);
  if (provider == nullptr) return out;
  bool const assumed = provider->email_verified == unstated_email::assumed;
  auto const* const manager = managing_provider(settings, person.email);
  out.email_is_verified = !person.email.empty() && person.email_verified.value_or(assumed);
  out.domain_is_managed = manager == provider;
  out.domain_is_foreign = manager != nullptr && manager != provider;
  out.manages_roles = !provider->groups_claim.empty();
  if (!provider->role.empty() && out.domain_is_managed)
    out.roles.push_back({.provider = provider->id, .organization = provider->organization, .role = provider->role});
  for (auto const& each : settings.groups)
    if (each.provider == provider->id && std::ranges::find(person.groups, each.group) != person.groups.end())
      out.roles.push_back(each);
  return out;
}

}  // namespace svc::sign_in
