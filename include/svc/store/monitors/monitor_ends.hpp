#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <optional>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// How long what is over is kept.
struct monitor_retention {
  std::int64_t outage_days = 800;  ///< since their end
  std::int64_t deleted_days = 30;  ///< monitors, since they were deleted
};

/// Ends rows of monitors and of what was found of them. Worker-local; the pool outlives it. Every method throws
/// `unavailable` when the database is gone or late.
class monitor_ends {
 public:
  /// Failures that are kept of a project, in full: as many of each of its monitors, but at least 100.
  static constexpr std::int64_t most_failures = 10'000;
  /// Outages that are kept of a monitor.
  static constexpr std::int64_t most_outages = 10'000;

  /// Alerts that are kept of a project, whatever they are about, and the messages that sent them.
  static constexpr std::int64_t most_alerts = 100'000;

  explicit monitor_ends(postgres::pool& db) : db_(db) {}

  /// Deletes outages and tombstones of monitors that are too old, and requests for checks that were answered long
  /// ago. Says whether there is more. Results of a monitor that goes end when they are too old themselves.
  task<bool> drop_old(monitor_retention keep, deadline until);
  /// Deletes the oldest failures of monitors that have more than their share, of some monitors; returns where to go
  /// on, and nothing behind the last.
  task<std::optional<uuid>> bound_failures(std::optional<uuid> after, deadline until);
  /// The same for outages that have ended, of monitors that have more than are kept. Alerts of them stay.
  task<std::optional<uuid>> bound_outages(std::optional<uuid> after, deadline until);
  /// The same for alerts of projects that have more than `most`, and for their messages: also alerts that wait for
  /// their provider go, but none that is being sent, and none that a decision on an open outage or period needs.
  task<std::optional<uuid>> bound_alerts(std::optional<uuid> after, std::int64_t most, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
