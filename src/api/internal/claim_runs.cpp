#include "api/internal/claim_json.hpp"
#include "svc/api/internal.hpp"
#include "svc/live/dispatch.hpp"
#include "svc/live/output_writer.hpp"
#include "svc/store/executor_store.hpp"

namespace svc::api::internal {
namespace {

/// Of one look at the queue, however long the wait was before.
constexpr milliseconds patience{2000};

store::claim_request request_of(call const& c) {
  store::claim_request out{.executor = uuid::parse(c.text("executorId")).value(), .most = c.number("max")};
  for (auto const& label : c.body.at("labels").as_array()) out.labels.emplace_back(label.as_string());
  return out;
}

task<reply> take(call& c, store::claim_batch got) {
  // Whoever waits beside this one takes the next.
  auto const& last = got.runs.back();
  if (got.more) c.use.dispatch.queued({c.who.organization, last.project, last.job_type, 1});
  for (auto const& run : got.runs) co_await c.use.output.begin(run.run, run.attempt, deadline::after(patience));
  co_return reply{.text = claims_json(got, c.use.executors.lease()), .secret = true};
}

}  // namespace

task<result<reply>> claim_runs(call& c) {
  auto const wanted = request_of(c);
  auto const over = deadline::after(std::chrono::seconds(c.number("waitSeconds")));
  live::dispatch::claim_wait mine(c.use.dispatch, c.who, wanted.labels, wanted.most);
  for (;;) {
    auto got = co_await c.use.executors.claim(c.secret, wanted, deadline::after(patience));
    if (!got) co_return got.error();
    if (!got->runs.empty()) co_return co_await take(c, std::move(*got));
    if (!co_await mine.until(over)) co_return reply{.text = claims_json({}, c.use.executors.lease())};
  }
}

}  // namespace svc::api::internal
