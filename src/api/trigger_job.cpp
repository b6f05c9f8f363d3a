#include "api/call_options.hpp"
#include "api/replies.hpp"
#include "api/resources.hpp"
#include "api/triggering.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/http/json.hpp"
#include "svc/output/run_watch.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

store::trigger_request request_of(call const& c, trigger_options const& how) {
  store::trigger_request wanted{.job = c.path_id(),
                                .triggered_by = c.who.token_name,
                                .idempotency_key = how.idempotency_key,
                                .dedup_key = how.dedup_key};
  if (!how.idempotency_key.empty()) wanted.request_hash = request_hash(c.body);
  if (auto const* given = c.member("parameters")) {
    wanted.parameters.clear();
    http::append_json(wanted.parameters, *given);
  }
  return wanted;
}

boost::json::object data_of(call const& c, store::triggered_run const& made) {
  return {{"jobId", c.path_id().to_string()},
          {"jobName", made.job_name},
          {"runId", made.run.to_string()},
          {"status", made.status},
          {"testCount", made.test_count},
          {"triggeredBy", made.triggered_by},
          {"triggeredAt", to_rfc3339(made.queued_at)}};
}

}  // namespace

task<result<reply>> trigger_job(call& c) {
  auto const how = read_trigger_options(c);
  if (!how) co_return how.error();
  auto const made = co_await c.use.stores.triggers.trigger(edit_by(c), request_of(c, *how), c.until);
  if (!made) co_return made.error();

  if (made->origin == store::run_origin::made) tell_runners(c, made->job_type);
  bool const joined = made->origin == store::run_origin::joined;
  boost::json::object data = data_of(c, *made);
  bool ended = false;
  if (how->wait && !made->deleted) {
    // The wait has its own time, after what the trigger took. The run is committed: it is reported whatever becomes
    // of the wait.
    auto const run = co_await c.use.watch.until_ended(c.who.project_id, made->run, deadline::after(*how->wait));
    if (run) {
      ended = run->completed_at.has_value();
      data["status"] = run->status;
      data["run"] = run_json(*run);
    }
  }
  reply out{.status = joined || ended ? 200U : 202U};
  out.body = {{"success", true},
              {"message", ended           ? "The run has ended."
                          : joined        ? "A run with the same key and parameters is queued already."
                          : made->deleted ? "The run has been deleted since."
                                          : "The run is queued."},
              {"data", std::move(data)}};
  if (joined) out.body.get_object()["deduplicated"] = true;
  if (made->origin == store::run_origin::replayed) out.fields.emplace_back("Idempotent-Replayed", "true");
  out.fields.emplace_back("Location", location_of(c.use.public_url, "/api/runs/" + made->run.to_string()));
  co_return out;
}

}  // namespace svc::api
