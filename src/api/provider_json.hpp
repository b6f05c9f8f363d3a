#pragma once

#include "svc/core/result.hpp"
#include "svc/domain/notification_provider.hpp"
#include "svc/http/contract.hpp"
#include "svc/store/provider_store.hpp"

#include <boost/json.hpp>

namespace svc::api {

/// The contract's `NotificationProvider`; `maskedFields` are JSON pointers into it.
boost::json::object provider_json(notification_provider const& of);

/// The contract's `CreateNotificationProvider`, which the contract has checked, defaults filled in.
/// `validation_failed` for a header that is named twice.
result<store::provider_settings> read_provider(boost::json::object const& body);

/// The settings after a merge patch. A new `type` needs a whole new `config`; a mask may stand where a secret stood.
/// `validation_failed`.
result<store::provider_settings> patch_provider(http::body_validator& contract, notification_provider const& current,
                                                boost::json::object const& patch);

}  // namespace svc::api
