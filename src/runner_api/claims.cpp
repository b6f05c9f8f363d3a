#include "runner_api/claim_json.hpp"
#include "svc/api/response_account.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/core/turns.hpp"
#include "svc/domain/display_text.hpp"
#include "svc/live/dispatch/dispatcher.hpp"
#include "svc/live/feed/publisher.hpp"
#include "svc/live/output/output_writer.hpp"
#include "svc/runner_api/runner_api.hpp"
#include "svc/store/runners/runner_store.hpp"

#include <boost/asio/this_coro.hpp>

namespace svc::runner_api {
namespace {

/// For one look at the queue, however long the wait was before.
constexpr milliseconds claim_patience{2000};

store::claim_request request_of(call const& c) {
  store::claim_request out{.runner = uuid::parse(c.text("executorId")).value(),
                           .most = c.number("max"),
                           .scripts_apart = flag(c.body, "scriptsApart")};
  for (auto const& label : c.body.at("labels").as_array()) out.labels.emplace_back(label.as_string());
  return out;
}

/// Nothing waits for this, because later output follows it on the same connection, and would start the attempt as
/// well.
task<> begin_output(output::output_writer& output, uuid run, std::int64_t attempt) {
  co_await output.begin(run, attempt, deadline::after(claim_patience));
}

/// A run that is handed back is queued as if it had not been claimed, so its next claim has the same number.
void announce_claims(call& c, store::claim_batch const& got, std::string_view status) {
  for (auto const& run : got.runs)
    c.use.feed.note(run.project, {.run = run.run,
                                  .job = run.job,
                                  .status = std::string(status),
                                  .order = feed::run_order(run.attempt, feed::run_step::running)});
}

/// The runner cannot take the runs that its claim has got, so they are for other claims, here or elsewhere.
task<> hand_back(call& c, store::claim_batch const& got) {
  std::vector<store::claim_name> claims;
  for (auto const& run : got.runs) claims.push_back({run.run, run.claim});
  co_await c.use.runners.unclaim(std::move(claims), deadline::after(claim_patience));
  announce_claims(c, got, "queued");
  for (auto const& run : got.runs) c.use.dispatch.queued({c.scope.organization, run.project, run.job_type, 1});
}

task<result<reply>> take(call& c, store::claim_batch got) {
  claims_writer writer(got, c.use.runners.first_lease());
  auto const held = c.hold_response(writer.size());
  if (!held) {
    co_await hand_back(c, got);
    co_return api::no_response_room();
  }
  // The next claim that waits here takes the next run.
  auto const& last = got.runs.back();
  if (got.more) c.use.dispatch.left({c.scope.organization, last.project, last.job_type, 1});
  auto const here = co_await asio::this_coro::executor;
  for (auto const& run : got.runs) spawn_task(here, begin_output(c.use.output, run.run, run.attempt));
  std::string text;
  text.reserve(writer.size());
  while (writer.step(text, piece_of_turn)) co_await others_turn();
  co_return reply{.text = std::move(text), .secret = true, .held = *held};
}

task<> wait_until(call& c, steady::time_point then) {
  if (then <= steady::now()) co_return;
  runner_slots::slot::rest const resting(c.slot);
  steady_timer timer(co_await asio::this_coro::executor, then);
  static_cast<void>(co_await timer.async_wait(awaiting));
}

}  // namespace

steady::time_point claim_pace::looks_at(uuid runner) const {
  auto const next = next_.find(runner);
  return next == next_.end() ? steady::time_point::min() : next->second;
}

void claim_pace::found(uuid runner, std::size_t runs, std::size_t most, steady::time_point now) {
  if (runs < several || runs >= most) {
    next_.erase(runner);
    return;
  }
  if (next_.size() >= most_runners) std::erase_if(next_, [now](auto const& entry) { return entry.second <= now; });
  next_.insert_or_assign(runner, now + distance);
}

task<result<reply>> register_executor(call& c) {
  auto name = checked_name(c.text("name"));
  if (!name) co_return name.error();
  runner_registration registration{
      .name = std::move(*name), .version = c.text("version"), .slots = c.number("slots")};
  for (auto const& label : c.body.at("labels").as_array()) registration.labels.emplace_back(label.as_string());
  auto const id = co_await c.use.runners.enroll(c.secret, std::move(registration), c.until);
  if (!id) co_return id.error();
  co_return reply{.body = {{"executorId", id->to_string()},
                           {"scope", c.scope.project ? "project" : "organization"},
                           {"leaseSeconds", c.use.runners.lease().count()},
                           {"longPollSeconds", long_poll_seconds}}};
}

task<result<reply>> claim_runs(call& c) {
  auto const wanted = request_of(c);
  auto const over = deadline::after(std::chrono::seconds(c.number("waitSeconds")));
  dispatch::dispatcher::claim_wait mine(c.use.dispatch, c.scope, wanted.labels, wanted.most);
  auto const nothing = [&] { return reply{.text = claims_json({}, c.use.runners.first_lease())}; };
  for (;;) {
    co_await wait_until(c, c.use.pace.looks_at(wanted.runner));
    // A runner that was killed while it waited would take a run with it. It does not look at the queue, so the
    // announced work passes to another claim.
    if (c.client.client_gone()) co_return nothing();
    // Its runs would have to be handed back.
    if (c.responses_exhausted()) co_return api::no_response_room();
    mine.looks();
    auto got = co_await c.use.runners.claim(c.secret, wanted, deadline::after(claim_patience));
    if (!got) co_return got.error();
    announce_claims(c, *got, "running");
    c.use.pace.found(wanted.runner, got->runs.size(), static_cast<std::size_t>(wanted.most), steady::now());
    if (!got->runs.empty()) {
      if (!c.client.client_gone()) co_return co_await take(c, std::move(*got));
      co_await hand_back(c, *got);
      co_return nothing();
    }
    if (!co_await news(c, mine.until(over))) co_return nothing();
  }
}

task<result<reply>> give_scripts(call& c) {
  if (c.responses_exhausted()) co_return api::no_response_room();
  std::vector<uuid> tests;
  for (auto const& id : c.body.at("tests").as_array()) tests.push_back(uuid::parse(id.as_string()).value());
  auto const given = co_await c.use.runners.scripts(c.secret, {c.run(), c.claim()}, std::move(tests), c.until);
  if (!given) co_return given.error();
  constexpr std::string_view begin = R"({"scripts":[)";
  auto const end = std::string("],\"more\":") + (given->more ? "true}" : "false}");
  std::size_t size = begin.size() + end.size();
  for (auto const& word : given->texts) size += word.size() + 1;
  auto const held = c.hold_response(size);
  if (!held) co_return api::no_response_room();
  std::string text(begin);
  text.reserve(size);
  for (auto const& word : given->texts) {
    if (&word != &given->texts.front()) text += ',';
    text += word;
    if (word.size() > piece_of_turn) co_await others_turn();
  }
  text += end;
  co_return reply{.text = std::move(text), .secret = true, .held = *held};
}

}  // namespace svc::runner_api
