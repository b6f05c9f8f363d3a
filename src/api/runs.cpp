#include "api/call_options.hpp"
#include "api/output_body.hpp"
#include "api/output_text.hpp"
#include "api/replies.hpp"
#include "api/resources.hpp"
#include "api/triggering.hpp"
#include "svc/access/reauthorization.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/response_account.hpp"
#include "svc/api/services.hpp"
#include "svc/http/headers.hpp"
#include "svc/live/dispatch/dispatcher.hpp"
#include "svc/live/output/archive.hpp"
#include "svc/live/output/run_streams.hpp"
#include "svc/live/output/run_watch.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

/// The event after which the client continues; the first field counts.
result<std::optional<event_id>> resume_point(http::request const& head, run const& run) {
  auto const given = head.find("Last-Event-ID");
  // Browsers send an empty one when no event had an id.
  if (!given || given->empty()) return std::optional<event_id>();
  auto const id = event_id::parse(*given);
  if (id && id->attempt <= run.attempt) return id;
  return error(errc::validation_failed, "Send the id of an event of this run as Last-Event-ID.",
               {{"Last-Event-ID", "must be the id of an event of this run"}});
}

}  // namespace

void run_json(http::json_text& out, run const& run) {
  out.member("id", run.id)
      .member("jobId", run.job)
      .member("jobName", run.job_name)
      .member("testId", run.test)
      .member("jobType", run.job_type)
      .member("status", run.status)
      .member("trigger", run.trigger)
      .member("triggeredBy", run.triggered_by)
      .stored_member("parameters", run.parameters)
      .member("attempt", run.attempt)
      .member("queuedAt", run.queued_at)
      .member("startedAt", run.started_at)
      .member("completedAt", run.completed_at)
      .member("durationMs", duration_ms(run.started_at, run.completed_at))
      .member("errorDetails", run.error_details)
      .member("testCount", run.test_count)
      .stored_member("tests", run.tests)
      .member("reportUrl", run.report_url)
      .member("createdAt", run.created_at)
      .member("updatedAt", run.updated_at);
  if (run.deleted) out.member("deleted", true);
}

void run_status_json(http::json_text& out, run_progress const& progress) {
  out.member("id", progress.id)
      .member("jobId", progress.job)
      .member("status", progress.status)
      .member("startedAt", progress.started_at)
      .member("completedAt", progress.completed_at)
      .member("durationMs", duration_ms(progress.started_at, progress.completed_at))
      .member("errorDetails", progress.error_details);
}

namespace {

/// Bytes of stored output to show in one response, which takes a quarter of a millisecond. A larger output is sent in
/// pieces.
constexpr std::size_t most_at_once = 64UL * 1024;

}  // namespace

task<result<reply>> list_runs(call& c) {
  store::run_filter filter{query_id(c, "jobId"), query_text(c, "status"), query_text(c, "trigger"),
                           query_time(c, "from"), query_time(c, "to")};
  auto const found = co_await c.use.stores.runs.list(c.caller.project_id, std::move(filter), c.page(), c.until);
  co_return page_reply(c, found, run_json);
}

task<result<reply>> get_run(call& c) {
  auto const wait = wanted_wait(c);
  if (!wait) co_return wait.error();
  auto found = co_await c.use.stores.runs.get(c.caller.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  if (*wait && !found->completed_at) {
    auto later = co_await c.use.watch.until_ended(c.caller.project_id, c.path_id(), deadline::after(**wait));
    if (!later) throw unavailable("the run could not be read after the wait");
    found = std::move(*later);
  }
  co_return shown_reply(c, *found, run_json);
}

task<result<reply>> get_run_status(call& c) {
  auto const found = co_await c.use.stores.runs.progress(c.caller.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  co_return shown_reply(c, *found, run_status_json);
}

task<result<reply>> cancel_run(call& c) {
  auto const done = co_await c.use.stores.runs.cancel(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  announce_run(c, *done);
  if (done->completed_at)
    c.use.watch.wake(c.path_id());
  else
    c.use.dispatch.cancel_requested(c.path_id());
  auto out = shown_reply(c, *done, run_json);
  out.status = 202;
  co_return out;
}

task<result<reply>> delete_run(call& c) {
  auto const done = co_await c.use.stores.runs.remove(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

task<result<reply>> get_run_output(call& c) {
  auto const found = co_await c.use.stores.runs.get(c.caller.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  if (!found->completed_at) co_return errc::run_not_over;
  auto const stored = co_await c.use.outputs.all(c.caller.project_id, found->id, c.until);
  if (!stored) co_return stored.error();
  constexpr std::string_view plain = "text/plain", lines = "application/x-ndjson";
  bool const as_json = http::negotiate(c.request, {plain, lines}) == lines;
  auto const form = as_json ? output_form::ndjson : output_form::text;
  reply out{.content_type = as_json ? lines : std::string_view("text/plain; charset=utf-8")};
  if ((*stored)->size() > most_at_once) {
    out.stream = std::make_shared<output_body>(*stored, form);
    co_return out;
  }
  auto const held = new_share(c.use.responses, c.caller);
  out.document = std::make_shared<std::string const>(output_as(**stored, form));
  if (out.document->size() >= least_charged && !held->hold(out.document->size())) co_return no_response_room();
  out.held = held;
  co_return out;
}

task<result<reply>> stream_run(call& c) {
  auto const found = co_await c.use.stores.runs.get(c.caller.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  auto const id = resume_point(c.request, *found);
  if (!id) co_return id.error();
  if (*id) {
    auto const seen = co_await c.use.streams.seen_to_the_end(c.caller.project_id, *found, **id, c.until);
    if (!seen) co_return seen.error();
    // An EventSource reconnects until it gets a 204 (WHATWG HTML 9.2.3).
    if (*seen) co_return reply{.status = 204};
  }
  auto slot = c.use.streams.reserve(c.caller.token_id, c.caller.project_id);
  if (!slot) co_return slot.error();
  output::viewer_right right{c.caller.subject, c.caller.epoch,
                             c.reauthorize.check_for(c.session_key ? *c.session_key : c.secret.value(), c.operation,
                                                     c.caller.project_id, c.caller.session)};
  // Proxies that buffer answers would hold the events back.
  co_return reply{.fields = {{"X-Accel-Buffering", "no"}},
                  .stream = c.use.streams.open(std::move(*slot), c.caller.project_id, *found, *id, std::move(right)),
                  .content_type = "text/event-stream"};
}

}  // namespace svc::api
