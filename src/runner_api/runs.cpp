#include "svc/core/spawn_task.hpp"
#include "svc/core/turns.hpp"
#include "svc/live/dispatch/dispatcher.hpp"
#include "svc/live/feed/publisher.hpp"
#include "svc/live/output/output_writer.hpp"
#include "svc/live/output/whole_output.hpp"
#include "svc/runner_api/runner_api.hpp"
#include "svc/store/runners/runner_store.hpp"

namespace svc::runner_api {
namespace {

constexpr milliseconds heartbeat_patience{2000};
/// Bytes of output compressed in one turn of the loop: about a millisecond.
constexpr std::int64_t packed_at_once = 128L * 1024;

/// Reads the lines. A line without its own number gets the next number.
std::vector<output::output_line> lines_of(boost::json::array const& given) {
  std::vector<output::output_line> out;
  out.reserve(given.size());
  std::int64_t count = 0;
  for (auto const& line : given) {
    auto const* const seq = line.as_object().if_contains("seq");
    out.push_back(
        {seq != nullptr ? seq->to_number<std::int64_t>() : ++count,
         line.at("stream").as_string() == "stdout" ? output::output_stream::out : output::output_stream::err,
         std::string(line.at("text").as_string())});
  }
  return out;
}

/// Returns the results with ids in the stored spelling, so that the database can compare them as texts.
std::string results_of(boost::json::array const& given) {
  boost::json::array out;
  for (auto const& value : given) {
    auto result = value.as_object();
    result["id"] = uuid::parse(result.at("id").as_string()).value().to_string();
    out.push_back(std::move(result));
  }
  return boost::json::serialize(out);
}

/// The end of a run as the runner reports it.
struct reported_end {
  run_completion completion;
  std::int64_t last_seq = 0;
  std::optional<store::stored_output> whole{};
};

/// Reads the body of a completion. `object` is that body, or one member of several, whose path is `place`.
result<reported_end> end_of(services const& use, boost::json::object const& object, uuid run,
                            std::string const& slot = {}) {
  reported_end out{.completion = {.run = run,
                                  .claim = uuid::parse(object.at("claimId").as_string()).value(),
                                  .status = std::string(object.at("status").as_string()),
                                  .tests = results_of(object.at("tests").as_array())},
                   .last_seq = object.at("lastSeq").to_number<std::int64_t>()};
  if (auto const* const details = object.if_contains("errorDetails"))
    out.completion.error_details = std::string(details->as_string());
  auto const* const whole = object.if_contains("wholeOutput");
  if (whole == nullptr) return out;
  auto lines = lines_of(whole->as_array());
  std::size_t bytes = 0;
  for (auto const& line : lines) bytes += line.text.size();
  if (bytes > output::most_whole_output) {
    auto const reason = "must have " + std::to_string(output::most_whole_output) + " bytes of text at most";
    return error(errc::validation_failed, {}, {{slot + "/wholeOutput", reason}});
  }
  out.whole = output::pack_whole(run, std::move(lines), use.output.limits(), out.completion.status, out.last_seq);
  return out;
}

void announce_freed(services& use, uuid run, store::freed_run const& freed) {
  auto const step = freed.queued ? feed::run_step::queued : feed::run_step::ended;
  use.feed.note(
      freed.project,
      {.run = run, .job = freed.job, .status = freed.status, .order = feed::run_order(freed.attempt, step)});
}

/// Ends the run, and notifies everyone concerned. Returns nothing if the run has ended.
task<std::optional<error>> end_run(services& use, sha256_digest secret, reported_end notified, deadline until) {
  auto const run = notified.completion.run;
  auto const status = notified.completion.status;
  bool const whole = notified.whole.has_value();
  auto const freed =
      co_await use.runners.complete(secret, std::move(notified.completion), until, std::move(notified.whole));
  if (!freed) co_return freed.error();
  if (!freed->now) co_return std::nullopt;
  announce_freed(use, run, *freed);
  if (freed->work) use.dispatch.queued(*freed->work);
  if (whole)
    use.output.stored_soon(run);
  else
    use.output.finish_soon(run, freed->attempt, status, notified.last_seq);
  co_return std::nullopt;
}

std::vector<store::claim_name> names_of(boost::json::array const& runs) {
  std::vector<store::claim_name> out;
  for (auto const& value : runs)
    out.push_back(
        {uuid::parse(value.at("runId").as_string()).value(), uuid::parse(value.at("claimId").as_string()).value()});
  return out;
}

/// The results of several requests' parts. The request and each of its parts own it, and the last owner destroys it.
struct several {
  std::optional<error> refused{};  ///< the fault of the request's token
  boost::json::array held{}, lost{};
};

void refuse(several& several, error const& failure, uuid run) {
  if (failure.code == errc::claim_lost)
    several.lost.emplace_back(run.to_string());
  else
    several.refused = failure;
}

task<> end_one(services& use, sha256_digest secret, reported_end notified, deadline until,
               std::shared_ptr<several> into) {
  auto const run = notified.completion.run;
  auto const refused = co_await end_run(use, secret, std::move(notified), until);
  if (refused) refuse(*into, *refused, run);
}

task<> append_one(services& use, uuid run, store::held_claim held, std::vector<output::output_line> lines,
                  deadline until, std::shared_ptr<several> into) {
  auto const done = co_await use.output.append(run, held.attempt, std::move(lines), until, held.project);
  if (done.verdict == output::append_verdict::accepted)
    into->held.push_back({{"runId", run.to_string()}, {"through", done.through}});
  else if (done.verdict != output::append_verdict::lost)
    into->lost.emplace_back(run.to_string());
}

/// News for the runner: runs that are lost or to be cancelled. The news is urgent unless the runner already knows it.
struct heartbeat_news {
  boost::json::array cancel{}, lost{};
  bool urgent = false;
};

heartbeat_news news_of(store::held_claims const& held, boost::json::array const& asked) {
  heartbeat_news out;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i] && !held[i]->cancel) continue;
    (held[i] ? out.cancel : out.lost).emplace_back(asked[i].at("runId"));
    out.urgent = out.urgent || !held[i] || !flag(asked[i].as_object(), "cancelling");
  }
  return out;
}

}  // namespace

task<result<reply>> heartbeat_run(call& c) {
  auto const run = c.run();
  auto const claim = c.claim();
  auto const wait = std::chrono::seconds(c.number("waitSeconds"));
  // The wait starts before the first look, so that no cancellation is missed in between.
  std::optional<dispatch::dispatcher::run_wait> mine;
  if (wait.count() > 0) mine.emplace(c.use.dispatch, std::vector{dispatch::waited_run{run, claim}});
  auto held = co_await c.use.runners.extend(c.secret, run, claim, c.until);
  auto const over = deadline::after(wait);
  while (held && !held->cancel && mine && co_await news(c, mine->until(over)))
    held = co_await c.use.runners.look(c.secret, run, claim, deadline::after(heartbeat_patience));
  if (!held) co_return held.error();
  co_return reply{.body = {{"cancel", held->cancel}, {"leaseSeconds", c.use.runners.lease().count()}}};
}

task<result<reply>> heartbeat_runs(call& c) {
  auto const& asked = c.body.at("runs").as_array();
  auto const claims = names_of(asked);
  auto const wait = milliseconds(c.number("waitMilliseconds"));
  std::optional<dispatch::dispatcher::run_wait> mine;
  if (wait.count() > 0) {
    std::vector<dispatch::waited_run> runs;
    for (std::size_t i = 0; i < claims.size(); ++i)
      if (!flag(asked[i].as_object(), "cancelling")) runs.push_back({claims[i].run, claims[i].claim});
    mine.emplace(c.use.dispatch, std::move(runs));
  }
  auto held = co_await c.use.runners.extend_all(c.secret, claims, c.until);
  auto const over = deadline::after(wait);
  while (held && mine && !news_of(*held, asked).urgent && co_await news(c, mine->until(over)))
    held = co_await c.use.runners.look_all(c.secret, claims, deadline::after(heartbeat_patience));
  if (!held) co_return held.error();
  auto news = news_of(*held, asked);
  co_return reply{.body = {{"leaseSeconds", c.use.runners.kept_lease().count()},
                           {"cancel", std::move(news.cancel)},
                           {"lost", std::move(news.lost)}}};
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

task<result<reply>> append_outputs(call& c) {
  auto const& asked = c.body.at("runs").as_array();
  auto const claims = names_of(asked);
  auto const held = co_await c.use.runners.look_all(c.secret, claims, c.until);
  if (!held) co_return held.error();
  auto const into = std::make_shared<several>();
  std::vector<task<>> parts;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    auto const run = claims[i].run;
    if (auto const& entry = (*held)[i])
      parts.push_back(append_one(c.use, run, *entry, lines_of(asked[i].at("lines").as_array()), c.until, into));
    else
      into->lost.emplace_back(run.to_string());
  }
  co_await together(std::move(parts));
  if (into->held.empty() && into->lost.empty()) throw unavailable("Redis did not take the output in time");
  co_return reply{.body = {{"held", std::move(into->held)}, {"lost", std::move(into->lost)}}};
}

task<result<reply>> complete_run(call& c) {
  auto notified = end_of(c.use, c.body, c.run());
  if (!notified) co_return notified.error();
  auto const refused = co_await end_run(c.use, c.secret, std::move(*notified), c.until);
  if (refused) co_return *refused;
  co_return reply{.status = 204};
}

// The completions reach the store in one turn of the event loop. They therefore share a transaction with each other
// and with the completions of other requests.
task<result<reply>> complete_runs(call& c) {
  auto const into = std::make_shared<several>();
  std::vector<task<>> parts;
  std::int64_t packed = 0;
  for (auto const& value : c.body.at("runs").as_array()) {
    auto notified = end_of(c.use, value.as_object(), uuid::parse(value.at("runId").as_string()).value(),
                           "/runs/" + std::to_string(parts.size()));
    if (!notified) co_return notified.error();
    packed += notified->whole ? notified->whole->size : 0;
    parts.push_back(end_one(c.use, c.secret, std::move(*notified), c.until, into));
    if (packed < packed_at_once) continue;
    packed = 0;
    co_await others_turn();
  }
  co_await together(std::move(parts));
  if (into->refused) co_return *into->refused;
  co_return reply{.body = {{"lost", std::move(into->lost)}}};
}

task<result<reply>> release_run(call& c) {
  auto const run = c.run();
  auto const done = co_await c.use.runners.release(c.secret, run, c.claim(), c.until);
  if (!done) co_return done.error();
  if (done->now) announce_freed(c.use, run, *done);
  if (done->work) c.use.dispatch.queued(*done->work);
  if (done->now && done->queued) c.use.output.requeue_soon(run, done->attempt);
  if (done->now && !done->queued) c.use.output.finish_soon(run, done->attempt, done->status, 0);
  co_return reply{.status = 204};
}

}  // namespace svc::runner_api
