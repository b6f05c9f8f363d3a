#include "api/provider_masks.hpp"

#include "api/checked_body.hpp"
#include "svc/monitoring/notifications/provider.hpp"
#include "svc/store/delivery/provider_store.hpp"

namespace svc::api {

namespace {

constexpr std::string_view masked_address = "https://masked.invalid";
/// Satisfies the contract as any secret that is no address.
constexpr std::string_view masked_secret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

}  // namespace

std::set<std::string> secret_members(std::string_view type, boost::json::object const& config) {
  std::set<std::string> out;
  for (auto const& pointer : store::secret_pointers(type, config))
    out.insert(pointer.substr(1, pointer.find('/', 1) - 1));
  return out;
}

boost::json::object config_without_masks(std::string_view type, boost::json::object config) {
  auto const known = notifications::provider_type_named(type);
  if (!known) return config;
  for (auto const& name : secret_members(type, config)) {
    if (config.at(name) != boost::json::value(store::secret_mask)) continue;
    config[name] = name == notifications::address_member_of(*known) ? masked_address : masked_secret;
  }
  return config;
}

boost::json::object without_masks(boost::json::object provider) {
  auto* const config = provider.if_contains("config");
  if (config != nullptr && config->is_object())
    *config = config_without_masks(text_in(provider, "type").value_or(""), std::move(config->get_object()));
  return provider;
}

}  // namespace svc::api
