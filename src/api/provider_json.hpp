#pragma once

#include "svc/core/result.hpp"
#include "svc/domain/notification_provider.hpp"
#include "svc/store/provider_store.hpp"

#include <boost/json.hpp>
#include <boost/json/object.hpp>

#include <string_view>
#include <vector>

namespace svc::api {

/// The contract's `NotificationProvider`; `maskedFields` are JSON pointers into it.
boost::json::object provider_json(notification_provider const& of);

/// A whole provider as a client describes it. `validation_failed` with every fault; a mask is let through where
/// a secret stands, the store knows whether there is one behind it.
result<store::provider_settings> read_provider(boost::json::object const& body);

/// The settings behind a merge patch. A new `type` needs a whole new `config`.
result<store::provider_settings> patch_provider(notification_provider const& current,
                                                boost::json::object const& patch);

/// The config by the rules of its type, defaults filled in; adds faults with pointers `/config/...`.
boost::json::object read_provider_config(std::string_view type, boost::json::object const& config,
                                         std::vector<field_error>& wrong);

}  // namespace svc::api
