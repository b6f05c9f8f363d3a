#include "store/runners/completion_rows.hpp"
#include "store/runners/runner_shared.hpp"
#include "store/runs/retry_pauses.hpp"
#include "svc/core/failpoint.hpp"

#include <algorithm>

namespace svc::store {

task<result<freed_run>> runner_store::complete(sha256_digest secret, run_completion what, deadline until) {
  auto const group = shared_->completions;
  completion_row const row{secret, std::make_shared<run_completion const>(std::move(what))};
  steady_timer pause(co_await asio::this_coro::executor);
  for (milliseconds wait = first_pause;; wait = std::min(2 * wait, longest_pause)) {
    auto done = co_await group->commit(row, until);
    SVC_FAILPOINT("complete.after_commit");
    if (done) co_return std::move(*done);
    if (steady::now() + wait >= until.at()) throw unavailable("another transaction holds the run");
    pause.expires_after(wait);
    co_await pause.async_wait(awaiting);
  }
}

}  // namespace svc::store
