#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

boost::json::object shown(store::quota_use use) {
  boost::json::value const limit = use.limit > 0 ? boost::json::value(use.limit) : boost::json::value(nullptr);
  return {{"used", use.used}, {"limit", limit}};
}

}  // namespace

boost::json::object usage_json(store::project_usage const& usage) {
  return {{"cliTokens", shown(usage.cli_tokens)},
          {"triggerKeysOfOneJob", shown(usage.trigger_keys)},
          {"jobs", shown(usage.jobs)},
          {"monitors", shown(usage.monitors)},
          {"tests", shown(usage.tests)},
          {"scriptBytes", shown(usage.script_bytes)},
          {"tags", shown(usage.tags)},
          {"variables", shown(usage.variables)},
          {"variableBytes", shown(usage.variable_bytes)},
          {"notificationProviders", shown(usage.providers)},
          {"maintenanceWindows", shown(usage.maintenance_windows)},
          {"statusPages", shown(usage.status_pages)},
          {"pageBytes", shown(usage.page_bytes)},
          {"outputBytes", shown(usage.output_bytes)},
          {"queuedRuns", shown(usage.queued_runs)}};
}

task<result<reply>> get_usage(call& c) {
  auto const used = co_await c.use.stores.usage.read(c.caller.project_id, c.until);
  co_return reply{.body = usage_json(used)};
}

}  // namespace svc::api
