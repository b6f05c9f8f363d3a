#include "svc/dispatch/dispatcher.hpp"
#include "svc/output/output_writer.hpp"
#include "svc/runner_api/runner_api.hpp"
#include "svc/store/runner_store.hpp"

namespace svc::runner_api {

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
