#pragma once

#include "svc/store/audit_store.hpp"

#include <boost/json.hpp>

namespace svc::api {

/// The contract's `AuditEntry`.
boost::json::object audit_json(store::audit_row const& of);

}  // namespace svc::api
