#include "api/triggering.hpp"

#include "api/call_options.hpp"
#include "api/replies.hpp"
#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/core/hash.hpp"
#include "svc/http/headers.hpp"
#include "svc/http/json.hpp"
#include "svc/live/dispatch/dispatcher.hpp"
#include "svc/live/feed/publisher.hpp"
#include "svc/live/output/run_watch.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

store::trigger_request request_of(call const& c, trigger_options const& options) {
  store::trigger_request wanted{.job = c.path_id(),
                                .triggered_by = c.caller.token_name,
                                .idempotency_key = options.idempotency_key,
                                .dedup_key = options.dedup_key,
                                .trace_parent = trace_parent_for_run(c.request)};
  if (!options.idempotency_key.empty()) wanted.request_hash = request_hash(c.body);
  if (auto const* given = c.member("parameters")) {
    wanted.parameters.clear();
    http::append_json(wanted.parameters, *given);
  }
  return wanted;
}

/// Returns the contract's `TriggerResult`. `now` is the run that a wait has found.
std::string trigger_json(call const& c, store::triggered_run const& made, run const* now) {
  bool const joined = made.origin == store::run_origin::joined;
  bool const ended = now != nullptr && now->completed_at;
  http::json_text out;
  out.member("success", true)
      .member("message", ended          ? "The run has ended."
                         : joined       ? "A run with the same key and parameters is queued already."
                         : made.deleted ? "The run was deleted in the meantime."
                                        : "The run is queued.")
      .open("data")
      .member("jobId", c.path_id())
      .member("jobName", made.job_name)
      .member("runId", made.run)
      .member("status", now != nullptr ? now->status : made.status)
      .member("testCount", made.test_count)
      .member("triggeredBy", made.triggered_by)
      .member("triggeredAt", made.queued_at);
  if (now != nullptr) {
    out.open("run");
    run_json(out, *now);
    out.close();
  }
  out.close();
  if (joined) out.member("deduplicated", true);
  return out.take();
}

/// Returns the remaining facts about a deleted run of this job.
run deleted_run(uuid job, store::triggered_run triggered_run) {
  run out;
  out.id = triggered_run.run;
  out.job = job;
  out.job_name = std::move(triggered_run.job_name);
  out.job_type = std::move(triggered_run.job_type);
  out.status = std::move(triggered_run.status);
  out.trigger = "remote";
  out.triggered_by = std::move(triggered_run.triggered_by);
  out.test_count = triggered_run.test_count;
  out.queued_at = out.created_at = out.updated_at = triggered_run.queued_at;
  out.deleted = true;
  return out;
}

/// Triggers the job in its current state, with the parameters of that run.
task<result<reply>> trigger_again(call& c, run run, std::string key) {
  store::trigger_request wanted{.job = *run.job,
                                .parameters = run.parameters,
                                .triggered_by = c.caller.token_name,
                                .idempotency_key = std::move(key),
                                .trace_parent = trace_parent_for_run(c.request)};
  if (!wanted.idempotency_key.empty()) wanted.request_hash = request_hash({{"rerun", run.id.to_string()}});
  auto made = co_await c.use.stores.triggers.trigger(edit_by(c), std::move(wanted), c.until);
  if (!made) co_return made.error();
  bool const replayed = made->origin == store::run_origin::replayed;
  auto stored = co_await c.use.stores.runs.get(c.caller.project_id, made->run, c.until);
  if (!stored && stored.error().code == errc::not_found) stored = deleted_run(*run.job, std::move(*made));
  if (!stored) co_return stored.error();
  co_return queued_run(c, *stored, replayed);
}

task<result<reply>> execute_again(call& c, run run, std::string key) {
  store::test_execution wanted{.test = *run.test,
                               .triggered_by = c.caller.token_name,
                               .idempotency_key = std::move(key),
                               .trace_parent = trace_parent_for_run(c.request)};
  if (!wanted.idempotency_key.empty()) wanted.request_hash = request_hash({{"rerun", run.id.to_string()}});
  auto const made = co_await c.use.stores.runs.execute(edit_by(c), std::move(wanted), c.until);
  if (!made) co_return made.error();
  co_return queued_run(c, made->made, made->replayed);
}

}  // namespace

result<std::string> read_idempotency_key(http::request const& head) {
  auto const count = head.count("Idempotency-Key");
  if (count == 0) return std::string();
  auto key = count == 1 ? http::read_idempotency_key(*head.find("Idempotency-Key")) : std::nullopt;
  if (key) return std::move(*key);
  return error(errc::validation_failed, "Send one Idempotency-Key of 1 to 255 visible characters.",
               {{"Idempotency-Key", "must be 1 to 255 visible characters, bare or in double quotes"}});
}

std::string trace_parent_for_run(http::request const& head) {
  auto const trace = http::trace_of(head);
  return trace ? trace->to_string() : std::string();
}

result<trigger_options> read_trigger_options(call const& c) {
  trigger_options out;
  auto key = read_idempotency_key(c.request);
  if (!key) return key.error();
  out.idempotency_key = std::move(*key);
  if (auto const* dedup = c.member("dedupKey")) out.dedup_key = std::string(dedup->as_string());
  auto const wait = wanted_wait(c);
  if (!wait) return wait.error();
  out.wait = *wait;
  if (!out.wait) return out;
  if (is_trigger_key(c.caller.kind)) return errc::wait_needs_cli_token;
  if (!allows(c.caller.owner_role, permission::run_view)) return errc::permission_denied;
  return out;
}

std::string request_hash(boost::json::value const& body) {
  return to_hex(sha256(body.is_null() ? std::string("{}") : http::canonical_json(body)));
}

reply queued_run(call const& c, run const& made, bool replayed) {
  if (!replayed) {
    notify_runners(c, made.job_type);
    announce_run(c, made);
  }
  auto out = shown_reply(c, made, run_json);
  out.status = 202;
  if (replayed) out.fields.emplace_back("Idempotent-Replayed", "true");
  out.fields.emplace_back("Location", location_of(c.use.public_url, "/api/runs/" + made.id.to_string()));
  return out;
}

void announce_run(call const& c, run const& now) {
  auto const step = now.completed_at          ? feed::run_step::ended
                    : now.status == "running" ? feed::run_step::running
                                              : feed::run_step::queued;
  c.use.feed.publisher.note(
      c.caller.project_id,
      {.run = now.id, .job = now.job, .status = now.status, .order = feed::run_order(now.attempt, step)});
}

void notify_runners(call const& c, std::string const& job_type) {
  c.use.dispatch.queued({c.caller.organization_id, c.caller.project_id, job_type, 1});
}

task<result<reply>> trigger_job(call& c) {
  auto const options = read_trigger_options(c);
  if (!options) co_return options.error();
  auto const made = co_await c.use.stores.triggers.trigger(edit_by(c), request_of(c, *options), c.until);
  if (!made) co_return made.error();

  if (made->origin == store::run_origin::made) notify_runners(c, made->job_type);
  bool const joined = made->origin == store::run_origin::joined;
  std::optional<run> now;
  if (options->wait && !made->deleted) {
    // The wait has a deadline of its own. The run is committed, so it is reported however the wait ends.
    auto found = co_await c.use.watch.until_ended(c.caller.project_id, made->run, deadline::after(*options->wait));
    if (found) now = std::move(*found);
  }
  bool const ended = now && now->completed_at;
  reply out{.status = joined || ended ? 200U : 202U, .text = trigger_json(c, *made, now ? &*now : nullptr)};
  if (made->origin == store::run_origin::replayed) out.fields.emplace_back("Idempotent-Replayed", "true");
  out.fields.emplace_back("Location", location_of(c.use.public_url, "/api/runs/" + made->run.to_string()));
  co_return out;
}

task<result<reply>> rerun_run(call& c) {
  auto key = read_idempotency_key(c.request);
  if (!key) co_return key.error();
  auto const run = co_await c.use.stores.runs.get(c.caller.project_id, c.path_id(), c.until);
  if (!run) co_return run.error();
  if (run->job) co_return co_await trigger_again(c, *run, std::move(*key));
  co_return co_await execute_again(c, *run, std::move(*key));
}

}  // namespace svc::api
