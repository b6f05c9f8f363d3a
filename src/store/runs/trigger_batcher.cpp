#include "svc/store/runs/trigger_batcher.hpp"

#include "store/runs/key_waits.hpp"
#include "store/runs/new_run_sql.hpp"
#include "store/runs/trigger_queue.hpp"
#include "store/runs/trigger_sql.hpp"
#include "store/sql/attempts.hpp"
#include "store/sql/settled.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/pending.hpp"
#include "svc/core/spawn_task.hpp"

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
/// Number of sends with a stale plan before the caller waits a moment.
constexpr int most_stale = 3;

struct pending_trigger : pending<trigger_row, trigger_verdict> {
  using pending::pending;

  queue_gate::reservation reservation{};  ///< the place of its run in the project's queue
  int stale = 0;                          ///< number of its stale plans

  /// The batcher calls this once the result is known, or stays unknown for good. An unknown run counts as queued.
  void leave_queue() {
    bool const queued = verdict ? *verdict && (*verdict)->origin == run_origin::made : failure != nullptr;
    if (!queued) reservation.give_back();
    reservation = queue_gate::reservation();
  }
};
using pending_list = std::vector<std::shared_ptr<pending_trigger>>;

/// The keys with which one caller waits. A trigger that its Idempotency-Key refuses counts for neither key.
struct counted_keys {
  counted_keys(key_waits& counts, uuid project, trigger_request const& wanted)
      : idempotency(counts, {project, wanted.job}, key_waits::kind::idempotency, wanted.idempotency_key),
        dedup(counts, {project, wanted.job}, key_waits::kind::dedup,
              idempotency.crowded() ? std::string() : wanted.dedup_key) {}

  key_wait idempotency, dedup;
};

std::vector<trigger_row> rows_of(pending_list const& batch) {
  std::vector<trigger_row> rows;
  rows.reserve(batch.size());
  for (auto const& trigger : batch) rows.push_back(trigger->row);
  return rows;
}

}  // namespace

bool trigger_queue::push(ticket ticket, keys keys) {
  if (waiting_.size() >= most_.waiting) return false;
  waiting_.push_back({ticket, std::move(keys)});
  return true;
}

bool trigger_queue::drop(ticket ticket) {
  return std::erase_if(waiting_, [ticket](item const& i) { return i.ticket == ticket; }) > 0;
}

steady::time_point trigger_queue::leaves() const {
  bool const gathers = last_size_ >= most_.several && waiting_.size() < most_.enough;
  return gathers ? last_departure_ + most_.distance : last_departure_;
}

std::vector<trigger_queue::ticket> trigger_queue::take(steady::time_point now) {
  if (on_its_way_ || now < leaves()) return {};
  using key = std::tuple<uuid, bool, std::string>;
  std::set<key> taken;
  auto const clashes = [&](keys const& keys) {
    return (!keys.idempotency.empty() && taken.contains({keys.job, false, keys.idempotency})) ||
           (!keys.dedup.empty() && taken.contains({keys.job, true, keys.dedup}));
  };
  std::vector<item> batch;
  std::deque<item> left;
  for (item& entry : waiting_) {
    if (batch.size() >= most_.batch || clashes(entry.keys)) {
      left.push_back(std::move(entry));
      continue;
    }
    if (!entry.keys.idempotency.empty()) taken.insert({entry.keys.job, false, entry.keys.idempotency});
    if (!entry.keys.dedup.empty()) taken.insert({entry.keys.job, true, entry.keys.dedup});
    batch.push_back(std::move(entry));
  }
  waiting_ = std::move(left);
  std::ranges::sort(batch, {},
                    [](item const& i) { return std::tie(i.keys.job, i.keys.idempotency, i.keys.dedup, i.ticket); });
  std::vector<ticket> out;
  out.reserve(batch.size());
  for (item const& entry : batch) out.push_back(entry.ticket);
  if (out.empty()) return out;
  on_its_way_ = true;
  last_size_ = out.size();
  last_departure_ = now;
  return out;
}

/// Outlives the batcher while a batch is in flight.
struct trigger_batcher::impl : std::enable_shared_from_this<impl> {
  impl(asio::io_context& target, postgres::pool& pool, queue_gate queue_gate)
      : io(target), db(pool), gate(std::move(queue_gate)), departure(target) {}

  task<result<triggered_run>> attempt(editor editor, trigger_request wanted, deadline until);
  void depart();
  void depart_later();
  task<> send(std::shared_ptr<impl> self, pending_list batch);
  task<bool> prepare(pending_list& batch);
  task<> plan(pending_list const& batch);
  task<> count_queues(pending_list const& batch);
  pending_list let_in(pending_list& batch);
  task<> send_part(pending_list part, pending_list& again);
  task<bool> send_together(pending_list const& batch, pending_list& again);
  task<> send_alone(std::shared_ptr<pending_trigger> trigger, pending_list& again);
  void answer(std::shared_ptr<pending_trigger> const& trigger, trigger_answer trigger_answer, pending_list& again);
  task<> search(pending_list batch, std::exception_ptr lost);
  void decide(pending_trigger& trigger, result<triggered_run> made);

  std::function<void(uuid, uuid, uuid)> queued;
  asio::io_context& io;
  postgres::pool& db;
  queue_gate gate;
  plan_cache plans;
  trigger_queue queue;
  key_waits same_keys;
  trigger_queue::ticket last_ticket = 0;
  std::map<trigger_queue::ticket, std::shared_ptr<pending_trigger>> waiting;
  steady_timer departure;  ///< expires when the gathering batch leaves
  bool gathering = false;
};

trigger_batcher::trigger_batcher(asio::io_context& io, postgres::pool& db, queue_gate gate)
    : impl_(std::make_shared<impl>(io, db, std::move(gate))) {}
trigger_batcher::~trigger_batcher() = default;

void trigger_batcher::on_queued(std::function<void(uuid, uuid, uuid)> queued) {
  impl_->queued = std::move(queued);
}

void trigger_batcher::impl::decide(pending_trigger& trigger, result<triggered_run> made) {
  if (queued && made && made->origin == run_origin::made)
    queued(trigger.row.editor.project, trigger.row.wanted.job, made->run);
  trigger.decide(std::move(made));
}

task<result<triggered_run>> trigger_batcher::trigger(editor editor, trigger_request wanted, deadline until) {
  auto const self = impl_;
  bool const keyed = !wanted.idempotency_key.empty();
  counted_keys const mine(self->same_keys, editor.project, wanted);
  if (mine.idempotency.crowded()) co_return errc::idempotency_in_progress;
  if (mine.dedup.crowded()) throw unavailable("too many triggers wait with the same dedup key");
  attempts again(self->io.get_executor(), until, key_patience);
  for (;;) {
    auto made = co_await self->attempt(editor, wanted, until);
    bool const held = !made && made.error().code == errc::unavailable;
    bool const busy = !made && made.error().code == errc::idempotency_in_progress;
    if (!held && !busy) co_return made;
    if (co_await again.next()) continue;
    // None of the attempts committed anything.
    if (held) throw unavailable("a change of the job has not ended");
    if (!keyed) throw unavailable("another trigger holds the dedup key");
    co_return made;
  }
}

task<result<triggered_run>> trigger_batcher::impl::attempt(editor editor, trigger_request wanted, deadline until) {
  auto const self = shared_from_this();
  trigger_row row{uuid::generate_v7(), uuid::generate_v7(), std::move(editor), std::move(wanted)};
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
  for (auto const ticket : queue.take(steady::now())) batch.push_back(std::move(waiting.extract(ticket).mapped()));
  if (batch.empty()) return depart_later();
  spawn_task(io, send(shared_from_this(), std::move(batch)));
}

/// While a batch is in flight, its end lets the next batch leave.
void trigger_batcher::impl::depart_later() {
  if (waiting.empty() || queue.leaves() <= steady::now() || std::exchange(gathering, true)) return;
  departure.expires_at(queue.leaves());
  departure.async_wait([weak = weak_from_this()](boost::system::error_code const&) {
    auto const self = weak.lock();
    if (!self) return;
    self->gathering = false;
    self->depart();
  });
}

task<> trigger_batcher::impl::send(std::shared_ptr<impl> self, pending_list batch) {
  auto const all = batch;
  std::exception_ptr failure;
  try {
    SVC_FAILPOINT("trigger.send");
    while (!batch.empty() && co_await prepare(batch)) {
      // The triggers that stay in the batch are sent in the next iteration.
      auto part = let_in(batch);
      co_await send_part(std::move(part), batch);
    }
  } catch (...) {
    failure = std::current_exception();
  }
  // An exception must not end this coroutine, because then no further batch would leave.
  if (failure) {
    log_failure("a batch of triggers", failure);
    for (auto const& trigger : all)
      if (!trigger->decided()) trigger->fail(failure);
  }
  self->queue.finished();
  self->depart();
}

/// Reads what the batch's triggers need. False: the reads failed, and so did the triggers.
task<bool> trigger_batcher::impl::prepare(pending_list& batch) {
  std::exception_ptr lost;
  try {
    co_await plan(batch);
    std::erase_if(batch, [](auto const& trigger) { return trigger->failure != nullptr; });
    co_await count_queues(batch);
  } catch (std::exception const&) {
    lost = std::current_exception();
  }
  if (lost)
    for (auto const& trigger : batch) trigger->fail(lost);
  co_return !lost;
}

/// Uses the plans of the jobs to decide on the runs. Reads unknown plans. A trigger fails if its parameters are no
/// object.
task<> trigger_batcher::impl::plan(pending_list const& batch) {
  std::set<job_key> unknown;
  for (auto const& trigger : batch) {
    job_key const key{trigger->row.editor.project, trigger->row.wanted.job};
    trigger->row.plan = plans.find(key);
    if (!trigger->row.plan) unknown.insert(key);
  }
  std::map<job_key, shared_plan> read;
  if (!unknown.empty())
    for (auto& made : co_await read_plans(db, {unknown.begin(), unknown.end()}, deadline::after(batch_patience)))
      plans.keep(read[made->key] = made);
  for (auto const& trigger : batch) {
    trigger_row& row = trigger->row;
    if (!row.plan) row.plan = read.at({row.editor.project, row.wanted.job});
    try {
      row.parameters = plan_run(*row.plan, row.wanted.parameters);
    } catch (std::logic_error const&) {
      trigger->fail(std::current_exception());
    }
  }
}

/// Counts the queues of the batch's projects where a count is needed before its triggers are let in.
task<> trigger_batcher::impl::count_queues(pending_list const& batch) {
  std::map<uuid, std::int64_t> wanted;
  for (auto const& trigger : batch)
    if (trigger->row.parameters) ++wanted[trigger->row.editor.project];
  auto const unknown = gate.uncounted(wanted, steady::now());
  if (unknown.empty()) co_return;
  auto ask = queue_count_query(unknown, gate.limit());
  learn_counts(gate, unknown, settled(co_await db.run(std::move(ask), deadline::after(batch_patience))));
}

/// Removes the triggers that can be sent from the batch, and returns them. The others stay until their nearly full
/// queue has been counted again. A trigger is sent even if its queue is full or no run can be created, because an
/// earlier run may answer it.
pending_list trigger_batcher::impl::let_in(pending_list& batch) {
  auto const now = steady::now();
  pending_list part, left;
  for (auto& trigger : batch) {
    uuid const project = trigger->row.editor.project;
    if (!trigger->row.parameters) {
      part.push_back(std::move(trigger));
      continue;
    }
    auto const state = gate.state(project, now);
    if (state == queue_state::uncounted) {
      left.push_back(std::move(trigger));
      continue;
    }
    trigger->row.room = state == queue_state::room;
    if (trigger->row.room) trigger->reservation = gate.take(project);
    part.push_back(std::move(trigger));
  }
  batch = std::move(left);
  return part;
}

/// Appends the triggers that must be sent again to `again`.
task<> trigger_batcher::impl::send_part(pending_list part, pending_list& again) {
  if (part.empty()) co_return;
  std::exception_ptr lost;
  bool accepted = true;
  try {
    accepted = co_await send_together(part, again);
  } catch (std::exception const&) {
    lost = std::current_exception();
  }
  if (lost) co_await search(part, lost);
  // One row made the whole transaction fail; nothing was committed.
  if (!accepted)
    for (auto const& trigger : part) co_await send_alone(trigger, again);
  for (auto const& trigger : part) trigger->leave_queue();
}

/// False: the server refused the transaction.
task<bool> trigger_batcher::impl::send_together(pending_list const& batch, pending_list& again) {
  auto done = co_await run_triggers(db, rows_of(batch), deadline::after(batch_patience));
  if (!done) co_return false;
  SVC_FAILPOINT("trigger.after_commit");
  for (std::size_t i = 0; i < batch.size(); ++i) answer(batch[i], std::move((*done)[i]), again);
  co_return true;
}

task<> trigger_batcher::impl::send_alone(std::shared_ptr<pending_trigger> trigger, pending_list& again) {
  std::exception_ptr lost;
  try {
    auto done = co_await run_triggers(db, {trigger->row}, deadline::after(batch_patience));
    if (!done) reject(done.error());
    answer(trigger, std::move(done->front()), again);
  } catch (unavailable const&) {
    lost = std::current_exception();
  } catch (std::exception const&) {
    trigger->fail(std::current_exception());
  }
  if (lost) co_await search({trigger}, lost);
}

/// A stale plan is read again. If the job keeps changing, the caller waits a moment.
void trigger_batcher::impl::answer(std::shared_ptr<pending_trigger> const& trigger, trigger_answer trigger_answer,
                                   pending_list& again) {
  if (trigger_answer) return decide(*trigger, std::move(*trigger_answer));
  plans.remove(*trigger->row.plan);
  if (++trigger->stale == most_stale) return trigger->decide(errc::unavailable);
  again.push_back(trigger);
}

/// The batcher calls this after a lost connection, perhaps after the COMMIT. The tails of the ids are new, so this
/// batch created any run that exists.
task<> trigger_batcher::impl::search(pending_list batch, std::exception_ptr lost) {
  std::vector<std::optional<triggered_run>> found(batch.size());
  try {
    SVC_FAILPOINT("trigger.search");
    found = co_await find_triggered(db, rows_of(batch), deadline::after(search_patience));
  } catch (std::exception const&) {
    // Any error counts as not found, because the next batch waits until this one ends.
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (found[i])
      decide(*batch[i], std::move(*found[i]));
    else
      batch[i]->fail(lost);
  }
}

}  // namespace svc::store
