#pragma once

#include "svc/store/token_store.hpp"

#include <boost/json.hpp>

namespace svc::api {

/// Contract section 2.1 without `key`, plus `lastUsedAt`, `lastUsedIp`, `createdBy`; `expiresAt` is left out when
/// there is none, `previous` when no older secret is good any more.
boost::json::object token_json(store::stored_token const& token);

/// `{limit, windowSeconds}`, or null.
boost::json::value rate_json(std::optional<window_limit> const& rate);

}  // namespace svc::api
