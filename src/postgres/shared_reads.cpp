#include "postgres/shared_reads.hpp"

#include "svc/core/kept_running.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/core/turns.hpp"

#include <algorithm>

namespace svc::postgres {

task<outcome<rows>> shared_reads::read(query one, deadline until) {
  line& mine = lines_[one.what.name];
  if (mine.waiting.size() >= owner_.most_waiting()) throw unavailable("PostgreSQL: too many reads are waiting");
  auto const me = std::make_shared<waiting_read>(io_.get_executor(), std::move(one), until);
  mine.waiting.push_back(me);
  wake(mine);
  if (!me->decided()) co_await me->over.async_wait(awaiting);
  if (me->failure) std::rethrow_exception(me->failure);
  if (me->verdict) co_return std::move(*me->verdict);
  std::erase(mine.waiting, me);
  throw deadline_passed("PostgreSQL: no answer within the deadline");
}

void shared_reads::wake(line& of) {
  if (of.leaving || of.waiting.empty() || of.sent == most_sent) return;
  of.leaving = true;
  spawn_task(io_, depart(of, owner_.shared_from_this()));
}

task<> shared_reads::depart(line& of, std::shared_ptr<pool_core> alive) {
  // Lets the handlers that are ready now run first, so that their reads join this batch.
  co_await others_turn();
  while (!of.waiting.empty() && of.sent < most_sent) {
    auto const last = of.waiting.begin() + static_cast<std::ptrdiff_t>(std::min(of.waiting.size(), most_together));
    batch together(of.waiting.begin(), last);
    of.waiting.erase(of.waiting.begin(), last);
    ++of.sent;
    spawn_task(io_, send(of, std::move(together), alive));
  }
  of.leaving = false;
}

task<> shared_reads::send(line& of, batch together, std::shared_ptr<pool_core> /*alive*/) {
  std::exception_ptr failure;
  try {
    if (!co_await attempt(together))
      for (auto const& one : together) co_await attempt({one});
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure) {
    log_failure("a shared read", failure);
    for (auto const& one : together)
      if (!one->decided()) one->fail(failure);
  }
  --of.sent;
  wake(of);
}

/// False: the server refused one of several reads, and no caller has an answer yet.
task<bool> shared_reads::attempt(batch const& together) {
  std::vector<query> all;
  all.reserve(together.size());
  // Reads of several projects share a connection, which none of them is charged for.
  deadline until = together.front()->until.charged_to({});
  for (auto const& one : together) {
    all.push_back(one->row);
    if (one->until.at() > until.at()) until = one->until.charged_to({});
  }
  std::exception_ptr failed;
  try {
    lease held = co_await owner_.acquire(until);
    auto done = co_await held.run(all, framing::implicit, until);
    if (!done && together.size() > 1) co_return false;
    for (std::size_t i = 0; i < together.size(); ++i) {
      if (done)
        together[i]->decide(std::move((*done)[i]));
      else
        together[i]->decide(done.error());
    }
  } catch (std::exception const&) {
    failed = std::current_exception();
  }
  if (failed)
    for (auto const& one : together) one->fail(failed);
  co_return true;
}

}  // namespace svc::postgres
