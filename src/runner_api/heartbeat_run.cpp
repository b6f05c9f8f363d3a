#include "svc/dispatch/dispatcher.hpp"
#include "svc/runner_api/runner_api.hpp"
#include "svc/store/runner_store.hpp"

namespace svc::runner_api {
namespace {

constexpr milliseconds heartbeat_patience{2000};

}  // namespace

task<result<reply>> heartbeat_run(call& c) {
  auto const run = c.run();
  auto const claim = c.claim();
  auto const wait = std::chrono::seconds(c.number("waitSeconds"));
  // Before the first look, so that no cancellation falls between.
  std::optional<dispatch::dispatcher::run_wait> mine;
  if (wait.count() > 0) mine.emplace(c.use.dispatch, run);
  auto held = co_await c.use.runners.extend(c.secret, run, claim, c.until);
  auto const over = deadline::after(wait);
  while (held && !held->cancel && mine && co_await mine->until(over))
    held = co_await c.use.runners.look(c.secret, run, claim, deadline::after(heartbeat_patience));
  if (!held) co_return held.error();
  co_return reply{.body = {{"cancel", held->cancel}, {"leaseSeconds", c.use.runners.lease().count()}}};
}

}  // namespace svc::runner_api
