#pragma once

#include "svc/core/result.hpp"
#include "svc/store/variable_store.hpp"

#include <boost/json.hpp>

namespace svc::api {

/// The contract's `Variable`: a secret has no `value`.
boost::json::object variable_json(variable const& of);

/// A whole variable as a client describes it. `validation_failed` with every fault, reserved keys too.
result<store::variable_settings> read_variable(boost::json::object const& body);

/// The settings behind a merge patch. A secret that shall be none any more needs a new value: the stored one is never
/// shown.
result<store::variable_settings> patch_variable(variable const& current, boost::json::object const& patch);

}  // namespace svc::api
