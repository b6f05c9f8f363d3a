#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/monitoring/checks/packed_hour.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Results added up. A value.
struct observed_sum {
  checks::summary summary{};
  std::int64_t observed = 0;  ///< seconds that results with evidence stand for, at most those that there were

  void add(observed_sum const& other);
};

/// Time of verdict down, as outages have it. A value.
struct downtime {
  std::int64_t micros = 0;
  std::int64_t outages = 0;
};

/// Ten-thousandths of a percent of the observed time that was no downtime, rounded down: any downtime shows. Nothing
/// when nothing was observed.
std::optional<std::int64_t> uptime_of(std::int64_t observed_seconds, std::int64_t downtime_micros);

/// A time of results with what they add up to.
struct history_part {
  timestamp start{};
  observed_sum sum{};
  downtime down{};
};

/// A single result with what went wrong, in full. A value.
struct listed_result {
  uuid location{};
  checks::kept_result result{};
  std::string details{};  ///< JSON; empty if nothing was kept
};

/// Selects results that began in [from, to).
struct result_filter {
  std::optional<timestamp> start{}, end{};
  std::optional<checks::status> ended{};
};

/// How many results of those that are selected, and of how many of them at the begin nobody wants `details`, as they
/// are only skipped. A value.
struct result_count {
  std::size_t most = 0;
  std::size_t skipped = 0;
};

enum class history_resolution : std::uint8_t { hour, day };

/// What a monitor was. Times are UTC. Worker-local; the pool outlives it. Every method throws `unavailable` when the
/// database is gone or late.
class check_history {
 public:
  explicit check_history(postgres::pool& db) : db_(db) {}

  /// The hours or days of [from, to), in order, `first` rounded down and `end` up: they are whole; without those of
  /// which there is nothing. Hours go as far back as results are kept. All from one snapshot.
  task<std::vector<history_part>> series(uuid monitor, timestamp first, timestamp end, history_resolution resolution,
                                         deadline until);
  /// The same, as one part.
  task<history_part> sum(uuid monitor, timestamp first, timestamp end, history_resolution resolution, deadline until);
  /// Single results, newest first, those that are skipped among them. The next page is what began before the last one
  /// of this.
  task<std::vector<listed_result>> results(uuid monitor, result_filter filter, result_count wanted, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
