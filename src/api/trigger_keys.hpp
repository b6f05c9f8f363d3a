#pragma once

#include "svc/api/call.hpp"
#include "svc/store/token_store.hpp"

#include <boost/json.hpp>

namespace svc::api {

/// The fields of a CLI token plus `jobId`, `rateLimit`, `allowedCidrs`.
boost::json::object trigger_key_json(store::stored_token const& key);

/// `allowedCidrs` of the body; the contract has checked each. Nothing: every address.
std::optional<std::vector<std::string>> read_cidrs(call const& c);

}  // namespace svc::api
