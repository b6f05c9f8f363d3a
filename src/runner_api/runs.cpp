#include "svc/dispatch/dispatcher.hpp"
#include "svc/output/output_writer.hpp"
#include "svc/runner_api/runner_api.hpp"
#include "svc/store/runner_store.hpp"

namespace svc::runner_api {
namespace {

constexpr milliseconds heartbeat_patience{2000};

std::vector<output::output_line> lines_of(boost::json::array const& given) {
  std::vector<output::output_line> out;
  out.reserve(given.size());
  for (auto const& line : given) {
    out.push_back(
        {line.at("seq").to_number<std::int64_t>(),
         line.at("stream").as_string() == "stdout" ? output::output_stream::out : output::output_stream::err,
         std::string(line.at("text").as_string())});
  }
  return out;
}

/// The results with ids in the spelling that is stored, so that the database can compare them as texts.
std::string results_of(boost::json::array const& given) {
  boost::json::array out;
  for (auto const& one : given) {
    auto result = one.as_object();
    result["id"] = uuid::parse(result.at("id").as_string()).value().to_string();
    out.push_back(std::move(result));
  }
  return boost::json::serialize(out);
}

}  // namespace

task<result<reply>> heartbeat_run(call& c) {
  auto const run = c.run();
  auto const claim = c.claim();
  auto const wait = std::chrono::seconds(c.number("waitSeconds"));
  // Before the first look, so that no cancellation is missed in between.
  std::optional<dispatch::dispatcher::run_wait> mine;
  if (wait.count() > 0) mine.emplace(c.use.dispatch, run);
  auto held = co_await c.use.runners.extend(c.secret, run, claim, c.until);
  auto const over = deadline::after(wait);
  while (held && !held->cancel && mine && co_await mine->until(over))
    held = co_await c.use.runners.look(c.secret, run, claim, deadline::after(heartbeat_patience));
  if (!held) co_return held.error();
  co_return reply{.body = {{"cancel", held->cancel}, {"leaseSeconds", c.use.runners.lease().count()}}};
}

task<result<reply>> append_output(call& c) {
  auto const run = c.run();
  auto const held = co_await c.use.runners.look(c.secret, run, c.claim(), c.until);
  if (!held) co_return held.error();
  auto const done = co_await c.use.output.append(run, held->attempt, lines_of(c.body.at("lines").as_array()), c.until,
                                                 held->project);
  switch (done.verdict) {
    case output::append_verdict::accepted:
      co_return reply{.body = {{"through", done.through}}};
    case output::append_verdict::superseded:
    case output::append_verdict::ended:
      co_return errc::claim_lost;
    case output::append_verdict::lost:
      break;
  }
  throw unavailable("Redis did not take the output in time");
}

task<result<reply>> complete_run(call& c) {
  auto const run = c.run();
  auto const status = c.text("status");
  run_completion what{
      .run = run, .claim = c.claim(), .status = status, .tests = results_of(c.body.at("tests").as_array())};
  if (c.body.contains("errorDetails")) what.error_details = c.text("errorDetails");
  auto const done = co_await c.use.runners.complete(c.secret, std::move(what), c.until);
  if (!done) co_return done.error();
  if (done->now) {
    if (done->work) c.use.dispatch.queued(*done->work);
    c.use.output.finish_soon(run, done->attempt, status, c.number("lastSeq"));
  }
  co_return reply{.status = 204};
}

task<result<reply>> release_run(call& c) {
  auto const run = c.run();
  auto const done = co_await c.use.runners.release(c.secret, run, c.claim(), c.until);
  if (!done) co_return done.error();
  if (done->work) c.use.dispatch.queued(*done->work);
  if (done->now && done->queued) c.use.output.requeue_soon(run, done->attempt);
  if (done->now && !done->queued) c.use.output.finish_soon(run, done->attempt, done->status, 0);
  co_return reply{.status = 204};
}

}  // namespace svc::runner_api
