#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/monitoring/checks/packed_hour.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A sum of results. A value.
struct observed_sum {
  checks::summary summary{};
  std::int64_t observed = 0;  ///< seconds that are covered by conclusive results, at most the length of the period

  void add(observed_sum const& other);
};

/// Time with verdict down, according to the outages. A value.
struct downtime {
  std::int64_t micros = 0;
  std::int64_t outages = 0;
};

/// Returns the uptime in ten-thousandths of a percent of the observed time. The result is rounded down, so that any
/// downtime shows. Returns nothing if nothing was observed.
std::optional<std::int64_t> uptime_of(std::int64_t observed_seconds, std::int64_t downtime_micros);

/// A period with the sum of its results.
struct history_part {
  timestamp start{};
  observed_sum sum{};
  downtime down{};
};

/// An hour of a bar. Without observed time it is not known how the monitor was.
struct bar_cell {
  std::int64_t observed_seconds = 0;  ///< covered by conclusive results
  std::int64_t down_micros = 0;       ///< with verdict down, according to the outages
};

/// 24 hours of a monitor, in UTC. A value.
struct monitor_bar {
  uuid monitor{};
  timestamp start{};  ///< of the first hour
  std::array<bar_cell, 24> cells{};
};

/// Returns the start of the first hour of bars: the last cell is the current hour.
timestamp first_hour_of_bars(timestamp now);

/// A single result with the details of its failure. A value.
struct listed_result {
  uuid location{};
  checks::kept_result result{};
  std::string details{};  ///< JSON; empty if no details are kept
};

/// Selects results that started in [from, to).
struct result_filter {
  std::optional<timestamp> start{}, end{};
  std::optional<checks::status> ended{};
};

/// The number of results to read. The caller skips the first `skipped` of them, so that their `details` are not read.
/// A value.
struct result_count {
  std::size_t most = 0;
  std::size_t skipped = 0;
};

enum class history_resolution : std::uint8_t { hour, day };

/// The past of a monitor. Times are UTC. Worker-local; the pool outlives it. Every method throws `unavailable` when
/// the database is gone or late.
class check_history {
 public:
  explicit check_history(postgres::pool& db) : db_(db) {}

  /// Returns the hours or days of [from, to) in order. `first` is rounded down and `end` up, so all parts are whole.
  /// Parts without any data are left out. Hours go as far back as results are kept. All parts come from one snapshot.
  task<std::vector<history_part>> series(uuid monitor, timestamp first, timestamp end, history_resolution resolution,
                                         deadline until);
  /// Returns the sum of the same period as one part.
  task<history_part> sum(uuid monitor, timestamp first, timestamp end, history_resolution resolution, deadline until);
  /// Returns the last 24 hours of these monitors, by their ids. Leaves out monitors that are unknown, deleted or of
  /// another project.
  task<std::vector<monitor_bar>> bars(uuid project, std::vector<uuid> monitors, timestamp now, deadline until);
  /// Returns single results, newest first, including the skipped ones. The next page consists of results that started
  /// before the last one of this page.
  task<std::vector<listed_result>> results(uuid monitor, result_filter filter, result_count wanted, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
