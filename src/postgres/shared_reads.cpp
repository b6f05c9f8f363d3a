#include "postgres/shared_reads.hpp"

#include "svc/core/spawn_task.hpp"
#include "svc/core/turns.hpp"

#include <algorithm>

namespace svc::postgres {

task<outcome<rows>> shared_reads::read(query query, deadline until) {
  line& mine = lines_[query.statement.name];
  if (mine.waiting.size() >= owner_.most_waiting()) throw unavailable("PostgreSQL: too many reads are waiting");
  auto const me = std::make_shared<waiting_read>(io_.get_executor(), std::move(query), until);
  mine.waiting.push_back(me);
  wake(mine);
  if (!me->decided()) co_await me->over.async_wait(awaiting);
  if (me->failure) std::rethrow_exception(me->failure);
  if (me->verdict) co_return std::move(*me->verdict);
  std::erase(mine.waiting, me);
  throw deadline_passed("PostgreSQL: no answer within the deadline");
}

void shared_reads::wake(line& line) {
  if (line.leaving || line.waiting.empty() || line.sent == most_sent) return;
  line.leaving = true;
  spawn_task(io_, depart(line, owner_.shared_from_this()));
}

task<> shared_reads::depart(line& line, std::shared_ptr<pool_core> alive) {
  // Lets the handlers that are ready now run first, so that their reads join this batch.
  co_await others_turn();
  while (!line.waiting.empty() && line.sent < most_sent) {
    auto const last =
        line.waiting.begin() + static_cast<std::ptrdiff_t>(std::min(line.waiting.size(), most_together));
    batch together(line.waiting.begin(), last);
    line.waiting.erase(line.waiting.begin(), last);
    ++line.sent;
    spawn_task(io_, send(line, std::move(together), alive));
  }
  line.leaving = false;
}

task<> shared_reads::send(line& line, batch together, std::shared_ptr<pool_core> /*alive*/) {
  std::exception_ptr failure;
  try {
    if (!co_await attempt(together))
      for (auto const& read : together) co_await attempt({read});
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure) {
    log_failure("a shared read", failure);
    for (auto const& read : together)
      if (!read->decided()) read->fail(failure);
  }
  --line.sent;
  wake(line);
}

/// False: the server refused one of several reads, and no caller has an answer yet.
task<bool> shared_reads::attempt(batch const& together) {
  std::vector<query> all;
  all.reserve(together.size());
  // Reads of several projects share a connection, which none of them is charged for.
  deadline until = together.front()->until.charged_to({});
  for (auto const& read : together) {
    all.push_back(read->row);
    if (read->until.at() > until.at()) until = read->until.charged_to({});
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
    for (auto const& read : together) read->fail(failed);
  co_return true;
}

}  // namespace svc::postgres
