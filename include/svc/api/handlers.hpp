#pragma once

#include "dashboard_operations.hpp"
#include "public_operations.hpp"
#include "svc/api/call.hpp"
#include "svc/api/handler_table.hpp"

namespace svc::api {

// Each operation of the public contract and of the dashboard's has a handler of its name.
#define SVC_DECLARE(name) task<result<reply>> name(call& c);
SVC_OPERATIONS(SVC_DECLARE)
SVC_DASHBOARD_OPERATIONS(SVC_DECLARE)
#undef SVC_DECLARE

/// The handlers of the public contract by operationId; compared with it at startup.
handler_table<handler> const& handlers();
/// The same for the dashboard's contract.
handler_table<handler> const& dashboard_handlers();

}  // namespace svc::api
