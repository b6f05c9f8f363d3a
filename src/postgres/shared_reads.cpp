#include "postgres/shared_reads.hpp"

#include "svc/core/turns.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>

namespace svc::postgres {

task<outcome<found_row>> shared_reads::read(statement what, row_key key, deadline until) {
  line& mine = lines_.try_emplace(what.name, line{.what = what}).first->second;
  if (mine.waiting.size() >= owner_.most_waiting()) throw unavailable("PostgreSQL: too many reads are waiting");
  auto const me = std::make_shared<waiting_read>(io_.get_executor(), key, until);
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
  asio::co_spawn(io_, depart(of, owner_.shared_from_this()), asio::detached);
}

task<> shared_reads::depart(line& of, std::shared_ptr<pool_core> alive) {
  // Lets the handlers that are ready now run first, so that their reads join this batch.
  co_await others_turn();
  while (!of.waiting.empty() && of.sent < most_sent) {
    auto const last = of.waiting.begin() + static_cast<std::ptrdiff_t>(std::min(of.waiting.size(), most_together));
    batch together(of.waiting.begin(), last);
    of.waiting.erase(of.waiting.begin(), last);
    ++of.sent;
    asio::co_spawn(io_, send(of, std::move(together), alive), asio::detached);
  }
  of.leaving = false;
}

task<> shared_reads::send(line& of, batch together, std::shared_ptr<pool_core> /*alive*/) {
  std::exception_ptr failed;
  try {
    auto const found = co_await ask(of.what, together);
    std::vector<outcome<found_row>> each(together.size(), found ? outcome<found_row>(found_row()) : found.error());
    for (int i = 0; found && i < found->size(); ++i)
      each.at(static_cast<std::size_t>((*found)[i].integer(0) - 1)) = found_row(*found, i);
    for (std::size_t i = 0; i < together.size(); ++i) together[i]->decide(std::move(each[i]));
  } catch (std::exception const&) {
    failed = std::current_exception();
  }
  if (failed)
    for (auto const& one : together) one->fail(failed);
  --of.sent;
  wake(of);
}

/// Waits as long as the most patient of the callers.
task<outcome<rows>> shared_reads::ask(statement const& what, batch const& together) {
  query all{what};
  all.with.add_array(together, [](auto const& one) { return one->row.project; });
  all.with.add_array(together, [](auto const& one) { return one->row.id; });
  deadline until = together.front()->until;
  for (auto const& one : together)
    if (one->until.at() > until.at()) until = one->until;
  lease held = co_await owner_.acquire(until);
  auto done = co_await held.run({&all, 1}, framing::implicit, until);
  if (!done) co_return done.error();
  co_return std::move(done->front());
}

}  // namespace svc::postgres
