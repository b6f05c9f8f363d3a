#pragma once

#include "svc/api/call.hpp"
#include "svc/core/async.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/job.hpp"
#include "svc/domain/monitoring/windows/window.hpp"
#include "svc/domain/notification_provider.hpp"
#include "svc/domain/run.hpp"
#include "svc/domain/test_case.hpp"
#include "svc/egress/address_policy.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/json_text.hpp"
#include "svc/store/delivery/alert_store.hpp"
#include "svc/store/delivery/provider_store.hpp"
#include "svc/store/directory/audit_store.hpp"
#include "svc/store/jobs/variable_store.hpp"
#include "svc/store/runs/overview_store.hpp"
#include "svc/store/runs/usage_store.hpp"
#include "svc/store/tokens/token_store.hpp"

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::api {

// The JSON of each resource: as the contract shows it, and as it is read from bodies that the contract has checked.
// These functions are defined next to the handlers, in the resource's own file. `..._json` adds the members of an
// object.

// CLI tokens

/// The contract's `CliToken` without `key`. `expiresAt` is left out when the token does not expire, `previous` when
/// no older secret is accepted any more.
void token_json(http::json_text& out, store::stored_token const& token);

// Trigger keys

/// The contract's `TriggerKey`: the fields of a CLI token plus `jobId`, `rateLimit`, `allowedCidrs`.
void trigger_key_json(http::json_text& out, store::stored_token const& key);

// Jobs

/// The contract's `Job`.
void job_json(http::json_text& out, job const& job);

/// The contract's `CreateJob`, which the contract has checked, defaults filled in. `before` holds the current
/// settings of the job, or null for a new one. `validation_failed` for a new name with a hidden character, and for
/// rules that only `check_job` knows; the database knows which tests and providers exist.
result<job_settings> read_job(boost::json::object const& body, job_settings const* before = nullptr);

/// The settings after a merge patch. `validation_failed` when they do not fit `CreateJob`.
result<job_settings> patch_job(http::body_validator& contract, job const& current, boost::json::object const& patch);

// Tests

/// The contract's `Test` without its script.
void test_json(http::json_text& out, test_case const& test);
/// Returns the whole test as JSON text; a large script is written over several turns of the event loop.
task<std::string> test_text(test_case test);
/// The same with the script in pieces, none of which ends inside a character.
task<std::string> test_text(test_case test, std::vector<std::string> script);

/// The contract's `CreateTest`, which the contract has checked, without its script. `before` holds the current
/// settings of the test, or null for a new one. `validation_failed` for a new title with a hidden character.
result<test_settings> read_test(boost::json::object const& body, test_settings const* before = nullptr);

/// Takes the script out of the body of a request, if it is there; a large one over several turns. The body outlives
/// the task.
task<std::optional<std::string>> take_script(boost::json::object& body);

/// The settings after a merge patch whose script was taken out. `validation_failed` when they do not fit
/// `CreateTest`.
result<test_settings> patch_test(http::body_validator& contract, test_case const& current,
                                 boost::json::object const& patch);

/// The contract's `TestTags`.
void test_tags_json(http::json_text& out, test_case const& test);

/// The ids of `PutTestTags` and `PutMonitorTags`. `validation_failed` for repeated ids, however they are spelled.
result<std::vector<uuid>> read_tag_ids(boost::json::object const& body);

// Runs

/// The contract's `Run`.
void run_json(http::json_text& out, run const& run);

/// The contract's `RunStatusReport`, the small form for polling.
void run_status_json(http::json_text& out, run_progress const& progress);

// Tags

/// The contract's `Tag`.
void tag_json(http::json_text& out, tag const& tag);

/// The contract's `CreateTag`, which the contract has checked.
tag_settings read_tag(boost::json::object const& body);

/// The settings after a merge patch. `validation_failed` when they do not fit `CreateTag`.
result<tag_settings> patch_tag(http::body_validator& contract, tag const& current, boost::json::object const& patch);

// Variables

/// The contract's `Variable`: a secret has no `value`.
void variable_json(http::json_text& out, variable const& variable);

/// The contract's `CreateVariable`, which the contract has checked. `validation_failed` for a reserved key.
result<store::variable_settings> read_variable(boost::json::object const& body);

/// The settings after a merge patch; without a value, the stored one stays. A secret that becomes readable needs a
/// new value, because the stored one is never shown; `validation_failed` otherwise.
result<store::variable_settings> patch_variable(http::body_validator& contract, variable const& current,
                                                boost::json::object const& patch);

// Notification providers

/// The contract's `NotificationProvider`; `maskedFields` are JSON pointers into it.
void provider_json(http::json_text& out, notification_provider const& provider);

/// Reads the contract's `CreateNotificationProvider`, which the contract has checked and filled with
/// defaults. Makes a signing secret if the body asks for one. The config of `current` is not checked again.
/// Returns `validation_failed` for problems that the contract cannot express: a new name with a hidden character,
/// repeated headers, names in templates, literal addresses that `reachable` does not allow.
result<store::provider_settings> read_provider(boost::json::object const& body,
                                               egress::address_policy const& reachable,
                                               notification_provider const* current = nullptr);

/// Returns the settings after a merge patch. A new `type` needs a whole new `config`; a mask keeps the stored
/// secret. Returns `validation_failed` as `read_provider` does, or when they do not fit
/// `CreateNotificationProvider`.
result<store::provider_settings> patch_provider(http::body_validator& contract,
                                                egress::address_policy const& reachable,
                                                notification_provider const& current,
                                                boost::json::object const& patch);

/// Returns the settings after `ReplaceNotificationProvider`. Its config replaces the whole one, except for
/// secrets that it masks or leaves out. Returns `validation_failed` as `patch_provider` does.
result<store::provider_settings> replace_provider(http::body_validator& contract,
                                                  egress::address_policy const& reachable,
                                                  notification_provider const& current,
                                                  boost::json::object const& body);

// Maintenance windows

/// The contract's `CreateMaintenanceWindowRequest`. A window whose targets were all deleted has an empty
/// `monitorIds`.
void window_settings_json(http::json_text& out, windows::window_settings const& set);
/// The contract's `MaintenanceWindow`.
void window_json(http::json_text& out, windows::window const& window);

/// Reads the contract's `CreateMaintenanceWindowRequest`, which the contract has checked. `before` holds the current
/// settings of the window, or null for a new one. Returns `validation_failed` for members that contradict each other
/// or are missing next to others, repeated ids, and a new name with a hidden character. The store checks times,
/// schedules and zones, and that the monitors and tags exist.
result<windows::window_settings> read_window(boost::json::object const& body,
                                             windows::window_settings const* before = nullptr);

/// Returns the settings after a merge patch. A target or rule that the patch names replaces the other forms. Returns
/// `validation_failed` as `read_window` does, or when they do not fit `CreateMaintenanceWindowRequest`.
result<windows::window_settings> patch_window(http::body_validator& contract, windows::window const& current,
                                              boost::json::object const& patch);

// Alerts

/// The contract's `Alert`.
void alert_json(http::json_text& out, store::listed_alert const& alert);

// Audit

/// Returns the filters of a query that each audit list has. The caller sets the organisation and the project.
store::audit_filter audit_filter_of(call const& c);
/// The contract's `AuditEntry`.
void audit_json(http::json_text& out, store::audit_row const& row);

// Overview

/// The contract's `Overview`. Its times do not count for the ETag.
void overview_json(http::json_text& out, store::overview const& overview);
/// Returns passed / runs as a number with four decimals, rounded down. `runs` is not 0.
std::string success_rate(std::int64_t passed, std::int64_t runs);
/// Returns the ids of a list with commas. Returns `validation_failed` for anything else.
result<std::vector<uuid>> monitor_ids_in(std::string_view list);

// Usage

/// `{used, limit}` for each quota; null means no limit.
boost::json::object usage_json(store::project_usage const& usage);

}  // namespace svc::api
