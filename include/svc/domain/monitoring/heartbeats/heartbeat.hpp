#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/monitoring/checks/result.hpp"
#include "svc/domain/monitoring/heartbeats/config.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace svc::heartbeats {

enum class signal_kind : std::uint8_t { success, failure, start, log };

/// What the work says.
struct signal {
  signal_kind kind = signal_kind::success;
  std::optional<std::uint8_t> exit_code{};  ///< of a failure that is told by it

  friend bool operator==(signal const&, signal const&) = default;
};

/// The end of the path: empty or `0` is success, `1` to `255` an exit code of a failure, `fail`, `start`, `log`.
/// Numbers have one spelling. Nothing for anything else.
std::optional<signal> parse_signal(std::string_view text);

/// success, fail, start, log.
std::string_view name_of(signal_kind kind);

/// A run of the work that has begun and not ended.
struct open_run {
  uuid id{};  ///< all zero: its signals name none
  timestamp started_at{};
  bool too_long = false;  ///< said already

  friend bool operator==(open_run const&, open_run const&) = default;
};

inline constexpr std::size_t most_runs = 20;

/// What is known of a monitor of type heartbeat. A value; `take` and `judge` change it.
struct heartbeat_state {
  std::optional<timestamp> due_at{};      ///< the first due time that nothing has settled
  std::optional<timestamp> started_at{};  ///< the newest start
  std::optional<timestamp> last_beat_at{};
  std::optional<std::chrono::milliseconds> last_duration{};
  std::vector<open_run> runs{};  ///< in the order of their starts, at most `most_runs`

  friend bool operator==(heartbeat_state const&, heartbeat_state const&) = default;
};

/// What a signal or its absence says of the work.
struct beat_evidence {
  std::optional<checks::failure> failure{};  ///< nothing: it is well
  timestamp time{};
  std::optional<std::chrono::milliseconds> took{};  ///< of a run whose start was told
  /// What it stands for: until the next beat is due, or of a failure until the next one is judged.
  std::chrono::seconds covers{0};
};

/// The monitor begins, or begins anew, at this moment: what was due before is due no more.
void plan(heartbeat_config const& config, heartbeat_state& state, timestamp now);

/// Counts a signal.
///
///   - Success and failure end the run of their id and settle every due time up to now, of a schedule also those that
///     come within `early`. With `every` the next one is so long after now.
///   - A start begins a run, and its clock anew if it is told again. The oldest of more than `most_runs` is
///   forgotten.
///   - A start and a log line say nothing of the work's success.
std::optional<beat_evidence> take(heartbeat_config const& config, heartbeat_state& state, signal const& signal,
                                  uuid run, timestamp now);

/// A time in which nobody listened: what came in it is lost.
struct deaf_time {
  timestamp start{}, end{};
};

/// When what has not come is too late.
std::optional<timestamp> deadline_of(heartbeat_config const& config, heartbeat_state const& state);

/// The same after a time in which nobody listened. What would be too late in it, or so soon after it that the work
/// cannot have said it again, is too late when it has had the time: a period and the grace after its end, at most ten
/// minutes.
std::optional<timestamp> deadline_after(heartbeat_config const& config, heartbeat_state const& state,
                                        std::optional<deaf_time> const& deaf);

/// Judges what is too late at `now`, the longest due first: one piece of evidence, and nothing when nothing is.
///
///   - no success in [due - early, due + grace]: `heartbeat_missed`
///   - no start in [due - early, due + startGrace]: `heartbeat_not_started`
///   - a run longer than `maxDurationSeconds`: `ran_too_long`, once for each run
///
/// Each settles its due time, so that one is judged once; and with it all whose time to come is over at the same
/// moment, which only a deaf time can make of several.
std::optional<beat_evidence> judge(heartbeat_config const& config, heartbeat_state& state,
                                   std::optional<deaf_time> const& deaf, timestamp now);

}  // namespace svc::heartbeats
