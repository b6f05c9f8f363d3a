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

/// A message of the scheduled work to its heartbeat monitor.
struct signal {
  signal_kind kind = signal_kind::success;
  std::optional<std::uint8_t> exit_code{};  ///< exit code of a failure, if the signal carries one

  friend bool operator==(signal const&, signal const&) = default;
};

/// Parses the end of a ping URL's path: empty or `0` (success), `1` to `255` (exit code of a failure), `fail`,
/// `start`, `log`. Each number has exactly one spelling. Returns `std::nullopt` for any other text.
std::optional<signal> parse_signal(std::string_view text);

/// Returns `success`, `fail`, `start` or `log`.
std::string_view name_of(signal_kind kind);

/// A run of the work that has started and not ended.
struct open_run {
  uuid id{};  ///< all zeros: its signals carry no run id
  timestamp started_at{};
  bool too_long = false;  ///< true if the run has already been reported as too long

  friend bool operator==(open_run const&, open_run const&) = default;
};

inline constexpr std::size_t most_runs = 20;

/// The state of one heartbeat monitor. A value; `take` and `evaluate` change it.
struct heartbeat_state {
  std::optional<timestamp> due_at{};      ///< first due time that is neither met nor evaluated yet
  std::optional<timestamp> started_at{};  ///< newest start
  std::optional<timestamp> last_ping_at{};
  std::optional<std::chrono::milliseconds> last_duration{};
  std::vector<open_run> runs{};  ///< ordered by start, at most `most_runs`

  friend bool operator==(heartbeat_state const&, heartbeat_state const&) = default;
};

/// The result that a signal, or a missing signal, gives for the monitor.
struct heartbeat_finding {
  std::optional<checks::failure> failure{};  ///< empty: success
  timestamp time{};
  std::optional<std::chrono::milliseconds> took{};  ///< duration of a run whose start was signalled
  /// Validity of this result: until the next due time, or after a failure until the next evaluation.
  std::chrono::seconds covers{0};
};

/// Starts or restarts the monitor's clock at `now`. Earlier due times no longer count.
void plan(heartbeat_config const& config, heartbeat_state& state, timestamp now);

/// Counts a signal.
///
/// - Success and failure end the run with the signal's id and settle all due times up to now. With a schedule they
///   also settle due times within `early` from now. With `every`, the next due time is one period after now.
/// - A start opens a run; a repeated start of the same run restarts its clock. If more than `most_runs` are open, the
///   oldest run is dropped.
/// - A start and a log line give no result, because they say nothing about success.
std::optional<heartbeat_finding> take(heartbeat_config const& config, heartbeat_state& state, signal const& signal,
                                      uuid run, timestamp now);

/// A blind window: no instance received signals, so signals sent in this window are lost.
struct blind_window {
  timestamp start{}, end{};
};

/// Returns the time at which the missing signal counts as too late.
std::optional<timestamp> deadline_of(heartbeat_config const& config, heartbeat_state const& state);

/// Returns the deadline, extended after a blind window. The work gets time to repeat a lost signal if its deadline
/// lies in the window or shortly after it. The extended deadline is one period plus the grace after the window's end,
/// at most ten minutes.
std::optional<timestamp> deadline_after(heartbeat_config const& config, heartbeat_state const& state,
                                        std::optional<blind_window> const& blind);

/// Evaluates the deadlines that have passed at `now`, the oldest due time first. Returns one result, or
/// `std::nullopt` if no deadline has passed.
///
/// - no success in [due - early, due + grace]: `heartbeat_missed`
/// - no start in [due - early, due + startGrace]: `heartbeat_not_started`
/// - a run longer than `maxDurationSeconds`: `ran_too_long`, once for each run
///
/// Each evaluation settles its due time, so that no due time is evaluated twice. It also settles all other
/// due times whose deadline passes at the same moment; only a blind window can cause several.
std::optional<heartbeat_finding> evaluate(heartbeat_config const& config, heartbeat_state& state,
                                          std::optional<blind_window> const& blind, timestamp now);

}  // namespace svc::heartbeats
