#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Retention of outages and deleted monitors.
struct monitor_retention {
  std::int64_t outage_days = 800;  ///< days since the end of the outage
  std::int64_t deleted_days = 30;  ///< days since the deletion of the monitor
};

/// Deletes old rows of monitors and of their findings. Worker-local; the pool outlives it. Every method throws
/// `unavailable` when the database is gone or late.
class monitor_ends {
 public:
  /// Failures of a project that are kept in full. Each of its monitors gets an equal share, but at least 100.
  static constexpr std::int64_t most_failures = 10'000;
  /// Outages that are kept of a monitor.
  static constexpr std::int64_t most_outages = 10'000;

  /// Alerts that are kept of a project, for all targets, with the messages that sent them.
  static constexpr std::int64_t most_alerts = 100'000;

  explicit monitor_ends(postgres::pool& db) : db_(db) {}

  /// Call before the first deletion. The listener gets the projects of deleted outages, alerts and monitors, without
  /// their ids, after each COMMIT.
  void when_deleted(change_listener deleted) { deleted_ = std::move(deleted); }

  /// Deletes outages and tombstones of monitors that are too old, and check requests that were answered long ago.
  /// Returns true if there is more to delete. Results of a deleted monitor expire at their own age.
  task<bool> drop_old(monitor_retention keep, deadline until);
  /// Deletes the oldest failures of monitors that exceed their share, for a batch of monitors. Returns the id to
  /// continue after, or nothing after the last monitor.
  task<std::optional<uuid>> bound_failures(std::optional<uuid> after, deadline until);
  /// The same for ended outages of monitors that exceed `most_outages`. Their alerts stay.
  task<std::optional<uuid>> bound_outages(std::optional<uuid> after, deadline until);
  /// The same for alerts of projects that exceed `most`, and for their messages. Alerts that wait for their provider
  /// are deleted too. Alerts that are being sent stay, and so do alerts that a decision on an open outage or period
  /// needs.
  task<std::optional<uuid>> bound_alerts(std::optional<uuid> after, std::int64_t most, deadline until);

 private:
  postgres::pool& db_;
  change_listener deleted_{};
};

}  // namespace svc::store
