#pragma once

#include "svc/core/result.hpp"
#include "svc/http/contract.hpp"
#include "svc/store/variable_store.hpp"

#include <boost/json.hpp>

namespace svc::api {

/// The contract's `Variable`: a secret has no `value`.
boost::json::object variable_json(variable const& of);

/// The contract's `CreateVariable`, which the contract has checked. `validation_failed` for a reserved key.
result<store::variable_settings> read_variable(boost::json::object const& body);

/// The settings after a merge patch; without a value, the stored one stays. A secret that becomes readable needs a
/// new value, because the stored one is never shown. `validation_failed`.
result<store::variable_settings> patch_variable(http::body_validator& contract, variable const& current,
                                                boost::json::object const& patch);

}  // namespace svc::api
