#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/redis/client.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace svc::live {

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

enum class append_verdict : std::uint8_t {
  accepted,
  superseded,  ///< a later attempt has begun: nothing was added
  ended,       ///< the run is over: nothing was added
  lost,        ///< Redis did not answer; send the same again
};

struct append_result {
  append_verdict verdict = append_verdict::lost;
  std::int64_t through = 0;  ///< the attempt's highest sequence number that is held
};

/// The one way into a run's live output, for the executors' routes. Everything may be repeated: what is held already
/// is passed over. Never throws for what Redis does. Whether the executor's claim is good is the caller's question;
/// here only the attempt counts. Worker-local; the client outlives it.
///
/// The order of a run: claim committed -> `begin`; output -> `append`; lease lost and the run back in the queue ->
/// `requeued`; ended, in a transaction that holds `store::output_due` -> `finish`. From there it goes to PostgreSQL
/// by itself (`mover`), also when `finish` is never called.
class output_writer {
 public:
  explicit output_writer(redis::client& redis, output_limits limits = {}) : redis_(redis), limits_(limits) {}

  /// `status: running`. Attempts count from 1.
  task<append_result> begin(uuid run, std::int64_t attempt, deadline until);
  /// At most `longest_batch` lines; a longer text is cut, bytes that are no UTF-8 are shown as U+FFFD.
  task<append_result> append(uuid run, std::int64_t attempt, std::vector<output_line> lines, deadline until);
  /// `status: queued` behind this attempt.
  task<append_result> requeued(uuid run, std::int64_t attempt, deadline until);
  /// `complete`. `last_seq`: of the executor's last line, 0 when it is not known.
  task<append_result> finish(uuid run, std::int64_t attempt, std::string status, std::int64_t last_seq,
                             deadline until);
  /// For a run that ends without ever having been claimed: who waits for it looks at the database.
  task<> announce(uuid run, deadline until);

  static constexpr std::size_t longest_batch = 1000;
  static constexpr std::size_t longest_line = 16UL * 1024;

  /// What must be loaded on each connection.
  static std::vector<redis::script const*> scripts();

 private:
  task<append_result> add_status(uuid run, std::int64_t attempt, std::string_view kind, std::string status,
                                 std::int64_t last_seq, deadline until);

  redis::client& redis_;
  output_limits limits_;
};

}  // namespace svc::live
