#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/turnstile.hpp"
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

/// A line that a run has printed, without its line feed. `seq` counts an attempt's lines from 1, both streams
/// together, without a hole. A value.
struct output_line {
  std::int64_t seq = 0;
  output_stream stream = output_stream::out;
  std::string text{};
};

/// How much of a run's output is kept, over all its attempts. Beyond it stands one line that says so.
struct output_limits {
  std::size_t lines = 50'000;
  std::size_t bytes = 4'194'304;
};

class output_budget;

enum class append_verdict : std::uint8_t {
  accepted,
  superseded,  ///< a later attempt has begun: nothing was added
  ended,       ///< the run is over: nothing was added
  lost,        ///< Redis did not answer; send the same again. After some seconds of that lines are dropped instead
};

struct append_result {
  append_verdict verdict = append_verdict::lost;
  std::int64_t through = 0;  ///< the attempt's highest sequence number that is held
};

/// The one way into a run's live output, for the runners' routes. Everything may be repeated: what is held already
/// is passed over. Never throws for what Redis does. Whether the runner's claim is good is the caller's question;
/// here only the attempt counts. What finds no room in its project's part of the budget, or in Redis, is cut: a line
/// says so, and no run waits for room. Worker-local; client and budget outlive it.
///
/// The order of a run: claim committed -> `begin`; output -> `append`; lease lost and the run back in the queue ->
/// `requeued`; ended, in a transaction that holds `store::output_due` -> `finish`. From there it goes to PostgreSQL
/// by itself (`mover`), also when `finish` is never called.
class output_writer {
 public:
  /// Without a budget every line finds room.
  explicit output_writer(redis::client& redis, output_limits limits = {}, output_budget* budget = nullptr)
      : redis_(redis), limits_(limits), budget_(budget) {}

  /// `status: running`. Attempts count from 1.
  task<append_result> begin(uuid run, std::int64_t attempt, deadline until);
  /// At most `longest_batch` lines; a longer text is cut, bytes that are no UTF-8 are shown as U+FFFD. `project` is
  /// whose budget it takes from.
  task<append_result> append(uuid run, std::int64_t attempt, std::vector<output_line> lines, deadline until,
                             uuid project = {});
  /// `status: queued` after this attempt.
  task<append_result> requeued(uuid run, std::int64_t attempt, deadline until);
  /// `complete`. `last_seq`: of the runner's last line, 0 when it is not known.
  task<append_result> finish(uuid run, std::int64_t attempt, std::string status, std::int64_t last_seq,
                             deadline until);
  /// The same two for callers that must not wait for Redis. What is lost here, the mover makes up for.
  void requeue_soon(uuid run, std::int64_t attempt);
  void finish_soon(uuid run, std::int64_t attempt, std::string status, std::int64_t last_seq);
  /// For a run that ends without ever having been claimed: its waiters look at the database.
  task<> announce(uuid run, deadline until);

  static constexpr std::size_t longest_batch = 1000;
  static constexpr std::size_t longest_line = 16UL * 1024;
  /// Of one script call, so that Redis serves others between two.
  static constexpr std::size_t piece_lines = 200, piece_bytes = 64UL * 1024;
  /// Script calls of one worker that Redis has at a time: it answers all that a connection has sent before it turns
  /// to the next one, where decisions wait.
  static constexpr int pieces_at_once = 1;
  /// What a line takes in Redis beside its text, about.
  static constexpr std::int64_t line_overhead = 64;
  /// Ends on their way to Redis; more are left to the mover.
  static constexpr std::size_t most_soon = 10'000;

  /// What must be loaded on each connection.
  static std::vector<redis::script const*> scripts();

 private:
  task<append_result> append_piece(uuid run, std::int64_t attempt, std::span<output_line const> lines, deadline until,
                                   uuid project);
  task<append_result> cut_off(uuid run, std::int64_t attempt, std::int64_t through, bool refused, deadline until);
  task<> add_soon(uuid run, std::int64_t attempt, bool ended, std::string status, std::int64_t last_seq);
  task<append_result> add_status(uuid run, std::int64_t attempt, std::string_view kind, std::string status,
                                 std::int64_t last_seq, deadline until);

  redis::client& redis_;
  output_limits limits_;
  output_budget* budget_;
  std::size_t soon_ = 0;
  turnstile pieces_{pieces_at_once};
};

}  // namespace svc::output
