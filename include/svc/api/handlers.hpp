#pragma once

#include "svc/api/call.hpp"
#include "svc/api/handler_table.hpp"

namespace svc::api {

// One declaration for each operation; the table in pipeline.cpp ties them to their operationIds.
// clang-format off
#define SVC_OPERATIONS(X) \
  X(create_cli_token) X(list_cli_tokens) X(get_cli_token) X(update_cli_token) X(delete_cli_token) \
  X(rotate_cli_token) X(whoami) \
  X(list_jobs) X(create_job) X(get_job) X(update_job) X(delete_job) X(trigger_job) X(get_job_trigger) \
  X(list_trigger_keys) X(create_trigger_key) X(update_trigger_key) X(delete_trigger_key) \
  X(rotate_trigger_key) \
  X(list_tests) X(create_test) X(get_test) X(update_test) X(delete_test) X(get_test_tags) X(put_test_tags) \
  X(list_variables) X(create_variable) X(get_variable) X(update_variable) X(delete_variable) \
  X(list_tags) X(create_tag) X(update_tag) X(delete_tag) \
  X(list_runs) X(get_run) X(get_run_status) X(cancel_run) X(delete_run) X(stream_run) X(get_run_output) \
  X(rerun_run) X(execute_test) X(list_audit) X(get_usage) \
  X(list_notification_providers) X(create_notification_provider) X(get_notification_provider) \
  X(update_notification_provider) X(delete_notification_provider) \
  X(get_health) X(get_livez) X(get_readyz) X(get_openapi_json) X(get_openapi_yaml)
// clang-format on

#define SVC_DECLARE(name) task<result<reply>> name(call& c);
SVC_OPERATIONS(SVC_DECLARE)
#undef SVC_DECLARE

/// The handlers of the public contract; compared with it at startup.
handler_table<handler> const& handlers();

}  // namespace svc::api
