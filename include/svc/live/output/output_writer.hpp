#pragma once

#include "svc/core/async.hpp"
#include "svc/core/async_semaphore.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/redis/client.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::output {

enum class output_stream : std::uint8_t { out, err };

/// One line of a run's output, without its line feed. `seq` counts an attempt's lines from 1, for both streams
/// together, without a gap. A value.
struct output_line {
  std::int64_t seq = 0;
  output_stream stream = output_stream::out;
  std::string text{};
};

/// Limits on the stored output of a run, over all its attempts. When the run reaches a limit, one line says so and
/// the writer drops the rest.
struct output_limits {
  std::size_t lines = 50'000;
  std::size_t bytes = 4'194'304;
};

class output_budget;

enum class append_verdict : std::uint8_t {
  accepted,
  superseded,  ///< the attempt is back in the queue, or a later one has started: nothing was added
  ended,       ///< the run is over: nothing was added
  lost,        ///< Redis did not accept it; send the same again. After 5 s without Redis, lines are dropped instead
};

struct append_result {
  append_verdict verdict = append_verdict::lost;
  std::int64_t through = 0;  ///< the highest accepted sequence number, dropped lines included
};

/// The only writer of a run's live output. The caller may repeat every call: the writer skips lines and statuses that
/// Redis already has. No behaviour of Redis makes it throw. The caller must have checked the runner's claim; this
/// class compares only the attempt. The writer drops lines that exceed the budget or Redis's memory, and one line
/// says so; the run does not wait. Worker-local; client and budget outlive it.
///
/// The order of calls for a run: claim committed -> `begin`; output -> `append`; lease lost and the run back in the
/// queue -> `requeued`; ended, in a transaction that holds `store::output_due` -> `finish`. After that the `mover`
/// moves the output to PostgreSQL, even if nobody calls `finish`. A run that ended in a transaction that holds its
/// whole output -> `stored_soon`.
class output_writer {
 public:
  /// Without a budget, only `limits` and Redis's memory bound the output.
  explicit output_writer(redis::client& redis, output_limits limits = {}, output_budget* budget = nullptr)
      : redis_(redis), limits_(limits), budget_(budget) {}

  /// Adds `status: running`. Attempts count from 1.
  task<append_result> begin(uuid run, std::int64_t attempt, deadline until);
  /// Adds at most `longest_batch` lines, and cuts a text longer than `longest_line`. Viewers get U+FFFD for bytes
  /// that are not UTF-8. The lines count towards the budget of `project`.
  task<append_result> append(uuid run, std::int64_t attempt, std::vector<output_line> lines, deadline until,
                             uuid project = {});
  /// Adds `status: queued` after this attempt.
  task<append_result> requeued(uuid run, std::int64_t attempt, deadline until);
  /// Adds `complete`. `last_seq` is the sequence number of the runner's last line, or 0 if it is unknown.
  task<append_result> finish(uuid run, std::int64_t attempt, std::string status, std::int64_t last_seq,
                             deadline until);
  /// Variants of `requeued` and `finish` for callers that must not wait for Redis. If Redis does not accept an end,
  /// the mover adds it later; a lost `status: queued` is not added again.
  void requeue_soon(uuid run, std::int64_t attempt);
  void finish_soon(uuid run, std::int64_t attempt, std::string status, std::int64_t last_seq);
  /// Deletes the events that `begin` wrote, and notifies the run's watchers to read PostgreSQL. Requires that the run
  /// has ended and that PostgreSQL has all its output. If Redis does not accept this, the watchers learn of the end
  /// from the database.
  void stored_soon(uuid run);
  /// Notifies the run's watchers on all instances that it has ended, without adding an event to its output. Works
  /// also for a run that was never claimed.
  task<> announce(uuid run, deadline until);

  static constexpr std::size_t longest_batch = 1000;
  static constexpr std::size_t longest_line = 16UL * 1024;
  /// Limits of one script call in lines and bytes, so that Redis can serve other clients between two calls.
  static constexpr std::size_t piece_lines = 200, piece_bytes = 64UL * 1024;
  /// Number of script calls that one worker sends at a time. Redis answers all commands that a connection has sent
  /// before it serves the next connection, and access decisions wait on other connections.
  static constexpr int pieces_at_once = 1;
  /// Approximate bytes that a line takes in Redis in addition to its text.
  static constexpr std::int64_t line_overhead = 64;
  /// Limit on the calls of `requeue_soon` and `finish_soon` in flight; further calls do nothing.
  static constexpr std::size_t most_soon = 10'000;

  output_limits const& limits() const { return limits_; }

  /// Returns the scripts that must be loaded on each connection.
  static std::vector<redis::script const*> scripts();

 private:
  task<append_result> append_piece(uuid run, std::int64_t attempt, std::span<output_line const> lines, deadline until,
                                   uuid project);
  task<append_result> cut_off(uuid run, std::int64_t attempt, std::int64_t through, bool refused, deadline until);
  task<> add_soon(uuid run, std::int64_t attempt, bool ended, std::string status, std::int64_t last_seq);
  task<> report_stored(uuid run);
  task<append_result> add_status(uuid run, std::int64_t attempt, std::string_view kind, std::string status,
                                 std::int64_t last_seq, deadline until);

  redis::client& redis_;
  output_limits limits_;
  output_budget* budget_;
  std::size_t soon_ = 0;
  async_semaphore pieces_{pieces_at_once};
};

/// Cuts the text to the longest line, never inside a UTF-8 character.
void cut_line(std::string& text);
/// Returns the line that says that a run's output has reached its limits.
std::string limit_mark(output_limits const& limits);

}  // namespace svc::output
