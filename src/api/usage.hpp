#pragma once

#include "svc/store/usage_store.hpp"

#include <boost/json.hpp>

namespace svc::api {

/// `{used, limit}` for each quota; a limit of null is none.
boost::json::object usage_json(store::project_usage const& of);

}  // namespace svc::api
