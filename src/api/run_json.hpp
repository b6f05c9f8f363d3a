#pragma once

#include "svc/domain/run.hpp"

#include <boost/json.hpp>

namespace svc::api {

/// The contract's `Run`.
boost::json::object run_json(run const& of);

/// The contract's `RunStatusReport`, the small form for polling.
boost::json::object run_status_json(run const& of);

}  // namespace svc::api
