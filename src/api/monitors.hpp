#pragma once

#include "svc/api/services.hpp"
#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/monitor.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/json_text.hpp"
#include "svc/store/check_history.hpp"
#include "svc/store/outage_store.hpp"

#include <boost/json.hpp>

// The JSON of monitors: as the contract shows it, and as it is read from bodies that the contract has checked.

namespace svc::api {

/// What users set of a monitor, by the contract's names.
void monitor_settings_json(http::json_text& out, monitor_settings const& set);

/// The contract's `Monitor`.
void monitor_json(http::json_text& out, monitor const& of, timestamp now);

/// The contract's `MonitorResult`.
void monitor_result_json(http::json_text& out, store::listed_result const& of);

/// The contract's `Outage`.
void outage_json(http::json_text& out, store::outage const& of);

/// The contract's `CreateMonitor`, which the contract has checked, defaults filled in. `before`: the interval that
/// the monitor has already, which may be shorter than new ones. `validation_failed` for what no schema can say: what
/// does not fit together, an address that is closed to checks, checks that take too long, what this version does not
/// support yet. The database knows which providers exist.
result<monitor_settings> read_monitor(boost::json::object const& body, monitor_rules const& rules, timestamp now,
                                      std::optional<std::chrono::seconds> before = {});

/// The settings after a merge patch, `UpdateMonitor`. A mask keeps the stored secret. `validation_failed` when they
/// do not fit `CreateMonitor`.
result<monitor_settings> patch_monitor(http::body_validator& contract, monitor const& current,
                                       boost::json::object const& patch, monitor_rules const& rules, timestamp now);

}  // namespace svc::api
