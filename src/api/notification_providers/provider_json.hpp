#pragma once

#include "svc/core/result.hpp"
#include "svc/domain/notification_provider.hpp"
#include "svc/store/provider_store.hpp"

#include <boost/json.hpp>

namespace svc::api {

/// The contract's `NotificationProvider`; `maskedFields` are JSON pointers into it.
boost::json::object provider_json(notification_provider const& of);

/// A whole provider as a client describes it. `validation_failed` with every fault; a mask is let through where
/// a secret stands, the store knows whether there is one behind it.
result<store::provider_settings> read_provider(boost::json::object const& body);

/// The settings behind a merge patch. A new `type` needs a whole new `config`.
result<store::provider_settings> patch_provider(notification_provider const& current,
                                                boost::json::object const& patch);

}  // namespace svc::api
