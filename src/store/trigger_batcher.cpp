#include "svc/store/trigger_batcher.hpp"

#include "store/errand.hpp"
#include "store/settled.hpp"
#include "store/trigger_queue.hpp"
#include "store/trigger_sql.hpp"
#include "svc/core/failpoint.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <exception>
#include <map>
#include <optional>

namespace svc::store {

namespace {

/// Of a batch, whoever waits for it. Callers have their own deadlines.
constexpr milliseconds batch_patience{2000};
/// For finding out what became of a batch whose connection was lost.
constexpr milliseconds search_patience{1000};
/// Between two attempts at a key that another transaction holds.
constexpr milliseconds first_pause{5}, longest_pause{50};
/// For the last attempt: one that the deadline cuts off could only be answered with 503.
constexpr milliseconds attempt_patience{200};

using trigger_errand = errand<trigger_row, trigger_verdict>;
using errands = std::vector<std::shared_ptr<trigger_errand>>;

std::vector<trigger_row> rows_of(errands const& batch) {
  std::vector<trigger_row> rows;
  rows.reserve(batch.size());
  for (auto const& one : batch) rows.push_back(one->row);
  return rows;
}

}  // namespace

/// Outlives the batcher while a batch is on its way.
struct trigger_batcher::impl : std::enable_shared_from_this<impl> {
  impl(asio::io_context& on, postgres::pool& to) : io(on), db(to) {}

  task<result<triggered_run>> attempt(editor by, trigger_request wanted, deadline until);
  void depart();
  task<> send(std::shared_ptr<impl> self, errands batch);
  task<bool> send_together(errands const& batch);
  task<> send_alone(std::shared_ptr<trigger_errand> one);
  task<> search(errands batch, std::exception_ptr lost);

  asio::io_context& io;
  postgres::pool& db;
  trigger_queue queue;
  trigger_queue::ticket last_ticket = 0;
  std::map<trigger_queue::ticket, std::shared_ptr<trigger_errand>> waiting;
};

trigger_batcher::trigger_batcher(asio::io_context& io, postgres::pool& db) : impl_(std::make_shared<impl>(io, db)) {}
trigger_batcher::~trigger_batcher() = default;

task<result<triggered_run>> trigger_batcher::trigger(editor by, trigger_request wanted, deadline until) {
  auto const self = impl_;
  bool const keyed = !wanted.idempotency_key.empty();
  steady_timer pause(self->io);
  for (milliseconds wait = first_pause;; wait = std::min(2 * wait, longest_pause)) {
    auto made = co_await self->attempt(by, wanted, until);
    if (made || made.error().code != errc::idempotency_in_progress) co_return made;
    if (steady::now() + wait + attempt_patience >= until.at()) {
      if (!keyed) throw unavailable("another trigger holds the dedup key");
      co_return made;
    }
    pause.expires_after(wait);
    co_await pause.async_wait(awaiting);
  }
}

task<result<triggered_run>> trigger_batcher::impl::attempt(editor by, trigger_request wanted, deadline until) {
  auto const self = shared_from_this();
  trigger_row row{uuid::generate_v7(), uuid::generate_v7(), std::move(by), std::move(wanted)};
  auto const mine = std::make_shared<trigger_errand>(io.get_executor(), std::move(row), until);
  auto const ticket = ++last_ticket;
  trigger_request const& asks = mine->row.wanted;
  if (!queue.push(ticket, {asks.job, asks.idempotency_key, asks.dedup_key}))
    throw unavailable("too many triggers wait for a commit");
  waiting.emplace(ticket, mine);
  depart();
  if (!mine->decided()) co_await mine->over.async_wait(awaiting);
  if (queue.drop(ticket)) waiting.erase(ticket);
  if (mine->failure) std::rethrow_exception(mine->failure);
  if (!mine->verdict) throw unavailable("the trigger was not committed in time");
  co_return std::move(*mine->verdict);
}

void trigger_batcher::impl::depart() {
  errands batch;
  for (auto const ticket : queue.take()) batch.push_back(std::move(waiting.extract(ticket).mapped()));
  if (!batch.empty()) asio::co_spawn(io, send(shared_from_this(), std::move(batch)), asio::detached);
}

task<> trigger_batcher::impl::send(std::shared_ptr<impl> self, errands batch) {
  std::exception_ptr lost;
  bool accepted = true;
  try {
    accepted = co_await send_together(batch);
  } catch (unavailable const&) {
    lost = std::current_exception();
  }
  if (lost) co_await search(batch, lost);
  // One row's failure ended the transaction of all; nothing of it was committed.
  if (!accepted)
    for (auto const& one : batch) co_await send_alone(one);
  self->queue.finished();
  self->depart();
}

/// False: the server refused the transaction.
task<bool> trigger_batcher::impl::send_together(errands const& batch) {
  auto const done = co_await run_triggers(db, rows_of(batch), deadline::after(batch_patience));
  if (!done) co_return false;
  SVC_FAILPOINT("trigger.after_commit");
  for (std::size_t i = 0; i < batch.size(); ++i) batch[i]->decide((*done)[i]);
  co_return true;
}

task<> trigger_batcher::impl::send_alone(std::shared_ptr<trigger_errand> one) {
  std::exception_ptr lost;
  try {
    auto const done = co_await run_triggers(db, {one->row}, deadline::after(batch_patience));
    if (!done) reject(done.error());
    one->decide(done->front());
  } catch (unavailable const&) {
    lost = std::current_exception();
  } catch (std::exception const&) {
    one->fail(std::current_exception());
  }
  if (lost) co_await search({one}, lost);
}

/// The connection went away, perhaps behind the COMMIT: a run that is there was made by this batch.
task<> trigger_batcher::impl::search(errands batch, std::exception_ptr lost) {
  std::vector<uuid> ids;
  for (auto const& one : batch) ids.push_back(one->row.run);
  std::unordered_map<uuid, triggered_run, uuid_hash> found;
  try {
    found = co_await find_triggered(db, std::move(ids), deadline::after(search_patience));
  } catch (unavailable const&) {
    found.clear();
  }
  for (auto const& one : batch) {
    if (auto const run = found.find(one->row.run); run != found.end())
      one->decide(run->second);
    else
      one->fail(lost);
  }
}

}  // namespace svc::store
