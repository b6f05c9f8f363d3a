#include "api/call_options.hpp"
#include "api/triggering.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

/// What is known of a run of this job that was deleted since it was made.
run deleted_run(uuid job, store::triggered_run of) {
  run out;
  out.id = of.run;
  out.job = job;
  out.job_name = std::move(of.job_name);
  out.job_type = std::move(of.job_type);
  out.status = std::move(of.status);
  out.trigger = "remote";
  out.triggered_by = std::move(of.triggered_by);
  out.test_count = of.test_count;
  out.queued_at = out.created_at = out.updated_at = of.queued_at;
  out.deleted = true;
  return out;
}

/// By the job as it is now, with the parameters of that run.
task<result<reply>> trigger_again(call& c, run of, std::string key) {
  store::trigger_request wanted{.job = *of.job,
                                .parameters = of.parameters,
                                .triggered_by = c.who.token_name,
                                .idempotency_key = std::move(key)};
  if (!wanted.idempotency_key.empty()) wanted.request_hash = request_hash({{"rerun", of.id.to_string()}});
  auto made = co_await c.use.stores.triggers.trigger(edit_by(c), std::move(wanted), c.until);
  if (!made) co_return made.error();
  bool const replayed = made->origin == store::run_origin::replayed;
  auto stored = co_await c.use.stores.runs.get(c.who.project_id, made->run, c.until);
  if (!stored && stored.error().code == errc::not_found) stored = deleted_run(*of.job, std::move(*made));
  if (!stored) co_return stored.error();
  co_return queued_run(c, *stored, replayed);
}

task<result<reply>> execute_again(call& c, run of, std::string key) {
  store::test_execution wanted{.test = *of.test, .triggered_by = c.who.token_name, .idempotency_key = std::move(key)};
  if (!wanted.idempotency_key.empty()) wanted.request_hash = request_hash({{"rerun", of.id.to_string()}});
  auto const made = co_await c.use.stores.runs.execute(edit_by(c), std::move(wanted), c.until);
  if (!made) co_return made.error();
  co_return queued_run(c, made->made, made->replayed);
}

}  // namespace

task<result<reply>> rerun_run(call& c) {
  auto key = read_idempotency_key(c.request);
  if (!key) co_return key.error();
  auto const of = co_await c.use.stores.runs.get(c.who.project_id, c.path_id(), c.until);
  if (!of) co_return of.error();
  if (of->job) co_return co_await trigger_again(c, *of, std::move(*key));
  co_return co_await execute_again(c, *of, std::move(*key));
}

}  // namespace svc::api
