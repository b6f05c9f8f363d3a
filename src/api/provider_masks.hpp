#pragma once

#include <boost/json/object.hpp>

#include <set>
#include <string>
#include <string_view>

// Masks in the configs of notification providers: each one replaces a stored secret.

namespace svc::api {

/// Returns the names of the members of `config` that are secret or hold secrets.
std::set<std::string> secret_members(std::string_view type, boost::json::object const& config);

/// Replaces each mask by a value that satisfies the contract, because a stored secret need not be checked again. The
/// store knows whether there is one.
boost::json::object config_without_masks(std::string_view type, boost::json::object config);
/// The same for a whole provider, with its members `type` and `config`.
boost::json::object without_masks(boost::json::object provider);

}  // namespace svc::api
