#include "svc/store/trigger_batcher.hpp"

#include "store/runs/new_run_sql.hpp"
#include "store/runs/trigger_queue.hpp"
#include "store/sql/attempts.hpp"
#include "store/sql/settled.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/pending.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace svc::store {

namespace {

/// The time limit of a batch. Callers have their own deadlines.
constexpr milliseconds batch_patience{2000};
/// The time limit for finding out whether a batch was committed when its connection was lost.
constexpr milliseconds search_patience{1000};

struct pending_trigger : pending<trigger_row, trigger_verdict> {
  using pending::pending;

  queue_gate::place place{};  ///< the place of its run in the project's queue

  /// Called once it is known whether the run was queued, or that it stays unknown; an unknown run counts as queued.
  void leave_queue() {
    if (verdict && (!*verdict || (*verdict)->origin != run_origin::made)) place.give_back();
    place = queue_gate::place();
  }
};
using pending_list = std::vector<std::shared_ptr<pending_trigger>>;

std::vector<trigger_row> rows_of(pending_list const& batch) {
  std::vector<trigger_row> rows;
  rows.reserve(batch.size());
  for (auto const& one : batch) rows.push_back(one->row);
  return rows;
}

}  // namespace

bool trigger_queue::push(ticket who, keys of) {
  if (waiting_.size() >= most_.waiting) return false;
  waiting_.push_back({who, std::move(of)});
  return true;
}

bool trigger_queue::drop(ticket who) {
  return std::erase_if(waiting_, [who](item const& i) { return i.who == who; }) > 0;
}

std::vector<trigger_queue::ticket> trigger_queue::take() {
  if (on_its_way_) return {};
  using key = std::tuple<uuid, bool, std::string>;
  std::set<key> taken;
  auto const clashes = [&](keys const& of) {
    return (!of.idempotency.empty() && taken.contains({of.job, false, of.idempotency})) ||
           (!of.dedup.empty() && taken.contains({of.job, true, of.dedup}));
  };
  std::vector<item> batch;
  std::deque<item> left;
  for (item& one : waiting_) {
    if (batch.size() >= most_.batch || clashes(one.of)) {
      left.push_back(std::move(one));
      continue;
    }
    if (!one.of.idempotency.empty()) taken.insert({one.of.job, false, one.of.idempotency});
    if (!one.of.dedup.empty()) taken.insert({one.of.job, true, one.of.dedup});
    batch.push_back(std::move(one));
  }
  waiting_ = std::move(left);
  std::ranges::sort(batch, {}, [](item const& i) { return std::tie(i.of.job, i.of.idempotency, i.of.dedup, i.who); });
  std::vector<ticket> out;
  out.reserve(batch.size());
  for (item const& one : batch) out.push_back(one.who);
  on_its_way_ = !out.empty();
  return out;
}

/// Outlives the batcher while a batch is in flight.
struct trigger_batcher::impl : std::enable_shared_from_this<impl> {
  impl(asio::io_context& on, postgres::pool& to, queue_gate by) : io(on), db(to), gate(std::move(by)) {}

  task<result<triggered_run>> attempt(editor by, trigger_request wanted, deadline until);
  void depart();
  task<> send(std::shared_ptr<impl> self, pending_list batch);
  task<> count_queues(pending_list const& batch);
  pending_list let_in(pending_list& batch);
  task<> send_part(pending_list part);
  task<bool> send_together(pending_list const& batch);
  task<> send_alone(std::shared_ptr<pending_trigger> one);
  task<> search(pending_list batch, std::exception_ptr lost);

  asio::io_context& io;
  postgres::pool& db;
  queue_gate gate;
  trigger_queue queue;
  trigger_queue::ticket last_ticket = 0;
  std::map<trigger_queue::ticket, std::shared_ptr<pending_trigger>> waiting;
};

trigger_batcher::trigger_batcher(asio::io_context& io, postgres::pool& db, queue_gate gate)
    : impl_(std::make_shared<impl>(io, db, std::move(gate))) {}
trigger_batcher::~trigger_batcher() = default;

task<result<triggered_run>> trigger_batcher::trigger(editor by, trigger_request wanted, deadline until) {
  auto const self = impl_;
  bool const keyed = !wanted.idempotency_key.empty();
  attempts again(self->io.get_executor(), until, key_patience);
  for (;;) {
    auto made = co_await self->attempt(by, wanted, until);
    bool const held = !made && made.error().code == errc::unavailable;
    bool const busy = !made && made.error().code == errc::idempotency_in_progress;
    if (!held && !busy) co_return made;
    if (co_await again.next()) continue;
    // None of the attempts committed anything.
    if (held) throw unavailable("a change of the job is not over");
    if (!keyed) throw unavailable("another trigger holds the dedup key");
    co_return made;
  }
}

task<result<triggered_run>> trigger_batcher::impl::attempt(editor by, trigger_request wanted, deadline until) {
  auto const self = shared_from_this();
  trigger_row row{uuid::generate_v7(), uuid::generate_v7(), std::move(by), std::move(wanted)};
  auto const mine = std::make_shared<pending_trigger>(io.get_executor(), std::move(row), until);
  auto const ticket = ++last_ticket;
  trigger_request const& asks = mine->row.wanted;
  if (!queue.push(ticket, {asks.job, asks.idempotency_key, asks.dedup_key}))
    throw unavailable("too many triggers are waiting for a commit");
  waiting.emplace(ticket, mine);
  depart();
  if (!mine->decided()) co_await mine->over.async_wait(awaiting);
  if (queue.drop(ticket)) waiting.erase(ticket);
  if (mine->failure) std::rethrow_exception(mine->failure);
  if (!mine->verdict) throw unavailable("the trigger was not committed in time");
  co_return std::move(*mine->verdict);
}

void trigger_batcher::impl::depart() {
  pending_list batch;
  for (auto const ticket : queue.take()) batch.push_back(std::move(waiting.extract(ticket).mapped()));
  if (!batch.empty()) asio::co_spawn(io, send(shared_from_this(), std::move(batch)), asio::detached);
}

task<> trigger_batcher::impl::send(std::shared_ptr<impl> self, pending_list batch) {
  while (!batch.empty()) {
    std::exception_ptr lost;
    try {
      co_await count_queues(batch);
    } catch (std::exception const&) {
      lost = std::current_exception();
    }
    if (lost) {
      for (auto const& one : batch) one->fail(lost);
      break;
    }
    co_await send_part(let_in(batch));
  }
  self->queue.finished();
  self->depart();
}

/// Counts the queues of the batch's projects where a count is needed before its triggers are let in.
task<> trigger_batcher::impl::count_queues(pending_list const& batch) {
  std::map<uuid, std::int64_t> wanted;
  for (auto const& one : batch) ++wanted[one->row.by.project];
  auto const unknown = gate.uncounted(wanted, steady::now());
  if (unknown.empty()) co_return;
  auto ask = queue_count_query(unknown, gate.limit());
  learn_counts(gate, unknown, settled(co_await db.run(std::move(ask), deadline::after(batch_patience))));
}

/// Removes from the batch, and returns, the triggers that can be sent. The others stay until their nearly full queue
/// has been counted again. A trigger that finds the queue full is sent too: a run that answers it may already exist.
pending_list trigger_batcher::impl::let_in(pending_list& batch) {
  auto const now = steady::now();
  pending_list part, left;
  for (auto& one : batch) {
    uuid const project = one->row.by.project;
    auto const state = gate.state(project, now);
    if (state == queue_state::uncounted) {
      left.push_back(std::move(one));
      continue;
    }
    one->row.room = state == queue_state::room;
    if (one->row.room) one->place = gate.take(project);
    part.push_back(std::move(one));
  }
  batch = std::move(left);
  return part;
}

task<> trigger_batcher::impl::send_part(pending_list part) {
  if (part.empty()) co_return;
  std::exception_ptr lost;
  bool accepted = true;
  try {
    accepted = co_await send_together(part);
  } catch (std::exception const&) {
    lost = std::current_exception();
  }
  if (lost) co_await search(part, lost);
  // One row made the whole transaction fail; nothing was committed.
  if (!accepted)
    for (auto const& one : part) co_await send_alone(one);
  for (auto const& one : part) one->leave_queue();
}

/// False: the server refused the transaction.
task<bool> trigger_batcher::impl::send_together(pending_list const& batch) {
  auto const done = co_await run_triggers(db, rows_of(batch), deadline::after(batch_patience));
  if (!done) co_return false;
  SVC_FAILPOINT("trigger.after_commit");
  for (std::size_t i = 0; i < batch.size(); ++i) batch[i]->decide((*done)[i]);
  co_return true;
}

task<> trigger_batcher::impl::send_alone(std::shared_ptr<pending_trigger> one) {
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

/// Called when the connection was lost, perhaps after the COMMIT. The ids are new, so a run that exists was created
/// by this batch.
task<> trigger_batcher::impl::search(pending_list batch, std::exception_ptr lost) {
  std::vector<uuid> ids;
  for (auto const& one : batch) ids.push_back(one->row.run);
  std::unordered_map<uuid, triggered_run, uuid_hash> found;
  try {
    SVC_FAILPOINT("trigger.search");
    found = co_await find_triggered(db, std::move(ids), deadline::after(search_patience));
  } catch (std::exception const&) {
    // Any error counts as not found, because the next batch waits until this one ends.
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
