#include "svc/live/output/mover.hpp"

#include "live/output/redis_output.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/live/output/output_budget.hpp"
#include "svc/live/output/whole_output.hpp"

#include <algorithm>
#include <exception>

namespace svc::output {
namespace {

constexpr std::int64_t most_due = 64;
constexpr int readers = 2;
/// Time for the reads of one round: `take_due` reserves the runs for this instance for ten seconds.
constexpr std::chrono::seconds taken{8};
constexpr std::chrono::seconds round_patience{5};
/// After this long no further round starts, so that the caller sees progress.
constexpr std::chrono::seconds long_pass{10};
/// Compressed bytes that a round collects before it stores them.
constexpr std::size_t kept_at = 1024UL * 1024;
/// Bytes of a page, which is compressed in one turn of the loop: 128 KiB take 1 to 4 ms.
constexpr std::size_t page_bytes = 128UL * 1024;
constexpr std::size_t least_page = 8, first_page = 64, most_page = 1000;
/// Time after a run's end at which the mover itself writes the end to Redis. The instance that ended the run in the
/// database could not reach Redis, or has died.
constexpr milliseconds overdue{3000};
/// Time for which moved output stays in Redis for viewers that still read it there; after that they read PostgreSQL.
constexpr std::chrono::seconds last_life{600};

}  // namespace

/// A run's output as read from Redis so far.
struct mover::moved : packed_output {
  /// Adds the end that Redis did not accept. Events may be missing before it, so its id leaves a gap.
  void end(store::due_output const& output) {
    event_id const id{std::max(output.attempt, last.attempt), output.attempt > last.attempt ? 2 : last.seq + 2};
    add({{id, event_kind::complete, output.status}});
  }
};

/// The runs of one round and its progress.
struct mover::round {
  std::vector<store::due_output> due;
  deadline until = deadline::after(taken);
  std::size_t next = 0;
  std::int64_t failed = 0;
  std::size_t held = 0;  ///< bytes of `ready`
  std::vector<store::due_output> outputs{};
  std::vector<store::stored_output> ready{};
};

mover::mover(redis::client& redis, store::output_store& outputs, output_writer& writer, output_budget& budget,
             metrics& counters)
    : redis_(redis),
      outputs_(outputs),
      writer_(writer),
      budget_(budget),
      moved_(counters.make_counter("svc_moved_outputs_total", "Outputs of ended runs that were moved to PostgreSQL")),
      failed_(counters.make_counter("svc_output_move_failures_total",
                                    "Outputs of ended runs that could not be moved and will be retried")) {}

task<bool> mover::pass() {
  auto const over = deadline::after(long_pass);
  try {
    co_await tidy();
    for (;;) {
      round now{co_await outputs_.take_due(most_due, deadline::after(round_patience))};
      std::vector<task<>> workers;
      for (int i = 0; i < readers; ++i) workers.push_back(work(now));
      co_await together(std::move(workers));
      co_await keep(now);
      if (now.failed > 0) log::warn("output of ended runs could not be moved", {{"runs", now.failed}});
      if (!redis_.connected()) co_return false;
      if (now.due.size() < static_cast<std::size_t>(most_due) || over.passed()) co_return true;
    }
  } catch (unavailable const&) {
    co_return false;
  }
}

/// Moves runs of the round. The caller that waits for all workers owns `round`.
task<> mover::work(round& round) {
  while (round.next < round.due.size() && !round.until.passed() && redis_.connected()) {
    auto const due_run = round.due[round.next++];
    auto got = co_await read(due_run);
    if (!got) {
      ++round.failed;
      failed_.add();
      continue;
    }
    if (!got->complete) continue;  // the instance that ended it is still writing the end to Redis
    round.held += got->out.content.size();
    round.outputs.push_back(due_run);
    round.ready.push_back(std::move(got->out));
    if (round.held >= kept_at) co_await keep(round);
  }
}

/// Reads a run's output. Returns nothing if Redis does not answer for this run.
task<std::optional<mover::moved>> mover::read(store::due_output output) {
  moved got;
  if (!co_await read_pages(output, got)) co_return std::nullopt;
  if (!got.complete && output.age >= overdue) {
    auto const last = got.last.attempt == output.attempt ? got.last.seq : 0;
    co_await writer_.finish(output.run, output.attempt, output.status, last, deadline::after(round_patience));
    if (!co_await read_pages(output, got)) co_return std::nullopt;
    if (!got.complete) got.end(output);
  }
  if (got.complete) got.finish(output.run);
  co_return got;
}

task<bool> mover::read_pages(store::due_output const& output, moved& into) {
  for (std::size_t most = first_page;;) {
    auto const before = into.out.size;
    auto const page =
        co_await read_page(redis_, output.run, into.last, static_cast<int>(most), deadline::after(round_patience));
    if (page.state == page_state::away) co_return false;
    into.add(page.events);
    SVC_FAILPOINT("mover.page_read");
    if (!page.more) co_return true;
    auto const each = static_cast<std::size_t>(into.out.size - before) / most + 1;
    most = std::clamp(page_bytes / each, least_page, most_page);
  }
}

task<> mover::keep(round& round) {
  auto const runs = std::exchange(round.outputs, {});
  auto const ready = std::exchange(round.ready, {});
  round.held = 0;
  bool const all = co_await keep_together(ready);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    // After a refusal each output is stored separately, so that one bad output does not hold up the others.
    bool const kept = all || co_await keep_together({ready[i]});
    if (kept) {
      moved_.add();
      co_await let_go(runs[i]);
    } else {
      ++round.failed;
      failed_.add();
    }
  }
}

/// Stores the outputs in one statement. Returns false if the database refuses any of them. Throws `unavailable`.
task<bool> mover::keep_together(std::vector<store::stored_output> const& all) {
  if (all.empty()) co_return true;
  try {
    SVC_FAILPOINT("mover.keep");
    co_await outputs_.keep(all, deadline::after(round_patience));
    co_return true;
  } catch (unavailable const&) {
    throw;
  } catch (std::exception const& e) {
    log::error("PostgreSQL refuses an output", {{"runs", all.size()}, {"why", e.what()}});
    co_return false;
  }
}

/// Deletes output that Redis need not hold any longer. Either the run was deleted, or its output is already in
/// PostgreSQL, or it ended with nothing to move.
task<> mover::tidy() {
  auto const due = budget_.take_due();
  if (due.empty()) co_return;
  std::vector<uuid> runs;
  for (auto const& entry : due) runs.push_back(entry.run);
  auto const needless = co_await outputs_.needless(std::move(runs), deadline::after(round_patience));
  for (auto const& entry : due) {
    bool const off =
        std::find(needless.begin(), needless.end(), entry.run) != needless.end() && co_await unlink(entry.run);
    budget_.leaves(entry.run, entry.project, off ? std::chrono::seconds(0) : output_ledger::look_again);
  }
}

task<bool> mover::unlink(uuid run) {
  auto const stream = stream_key(run), state = state_key(run);
  std::string_view const words[] = {"UNLINK", stream, state};
  auto const gone = co_await redis_.command(words, deadline::after(round_patience));
  co_return gone.ok();
}

task<> mover::expire(std::string key) {
  auto const millis = std::to_string(milliseconds(last_life).count());
  std::string_view const words[] = {"PEXPIRE", key, millis};
  co_await redis_.command(words, deadline::after(round_patience));
}

/// Deletes moved output from Redis: after `last_life`, or at once if the budget is crowded. If Redis does not accept
/// this, `tidy` deletes the output when the run is due for its next check.
task<> mover::let_go(store::due_output output) {
  if (!budget_.crowded()) {
    co_await expire(stream_key(output.run));
    co_await expire(state_key(output.run));
    budget_.leaves(output.run, output.project, last_life + std::chrono::seconds(1));
    co_return;
  }
  bool const gone = co_await unlink(output.run);
  budget_.leaves(output.run, output.project, gone ? std::chrono::seconds(0) : output_ledger::look_again);
}

}  // namespace svc::output
