#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

boost::json::object shown(store::quota_use of) {
  boost::json::value const limit = of.limit > 0 ? boost::json::value(of.limit) : boost::json::value(nullptr);
  return {{"used", of.used}, {"limit", limit}};
}

}  // namespace

boost::json::object usage_json(store::project_usage const& of) {
  return {{"cliTokens", shown(of.cli_tokens)},
          {"triggerKeysOfOneJob", shown(of.trigger_keys)},
          {"jobs", shown(of.jobs)},
          {"monitors", shown(of.monitors)},
          {"tests", shown(of.tests)},
          {"scriptBytes", shown(of.script_bytes)},
          {"tags", shown(of.tags)},
          {"variables", shown(of.variables)},
          {"variableBytes", shown(of.variable_bytes)},
          {"notificationProviders", shown(of.providers)},
          {"outputBytes", shown(of.output_bytes)},
          {"queuedRuns", shown(of.queued_runs)}};
}

task<result<reply>> get_usage(call& c) {
  auto const used = co_await c.use.stores.usage.read(c.who.project_id, c.until);
  co_return reply{.body = usage_json(used)};
}

}  // namespace svc::api
