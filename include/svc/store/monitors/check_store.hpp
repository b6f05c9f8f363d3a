#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/monitoring/alerting/decide.hpp"
#include "svc/domain/monitoring/checks/certificate_warning.hpp"
#include "svc/domain/monitoring/checks/packed_hour.hpp"
#include "svc/store/monitors/decision_listeners.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// The location of the service itself.
inline constexpr uuid own_location{};
inline constexpr std::string_view own_location_code = "local";

/// Seconds since the trouble of a target started that are covered by conclusive results. Uncovered time does not
/// count as downtime. A value.
struct covered_time {
  std::int64_t in_all = 0;  ///< since the first failing check of the streak, or of the open outage
  std::int64_t well = 0;    ///< covered by the good results since the last failing one; the outage ends after them

  friend bool operator==(covered_time const&, covered_time const&) = default;
};

/// `fails` is the number of consecutive failing results, including this one.
covered_time next_covered(covered_time time, checks::conclusion says, std::int64_t seconds, std::uint32_t fails,
                          bool outage_open);

/// The state of a monitor at one location: its row, and the inputs of its votes, all as of one `revision`. A value.
struct check_memory {
  std::int64_t revision = 0;
  std::int64_t check_version = 1;
  std::int64_t last_slot = 0;  ///< due time of the newest counted check, in milliseconds since 1970
  alerting::location_state state{};
  covered_time covered{};
  alerting::verdict status = alerting::verdict::pending;
  bool outage_open = false;
  alerting::thresholds limits{};
};

/// Occurrences of maintenance windows that cover a monitor, as far as they are known. A value.
struct known_maintenance {
  std::vector<alerting::quiet_time> times{};
  timestamp until{};  ///< occurrences that start later are not known
};

/// A live monitor, with everything that a check needs. A value.
struct watched_monitor {
  uuid id{}, project{}, organization{};
  std::string type{}, target{};
  std::string config{};  ///< JSON
  std::chrono::seconds interval{300};
  timestamp changed_at{};
  check_memory knows{};
  known_maintenance maintenance{};
  /// Ids of the certificate warnings that were decided since the monitor was read, while it was neither muted nor in
  /// maintenance. Warnings from earlier times may be repeated; the store ignores them. Only the newest `most_warned`
  /// ids are kept, because several servers behind one name may have different certificates.
  std::vector<uuid> warned{};
  static constexpr std::size_t most_warned = 8;
};

/// A change of a monitor.
struct monitor_news {
  uuid id{};
  timestamp changed_at{};
  bool live = false;  ///< false: the monitor is not checked any more
};

/// A result that is not stored yet. A value.
struct arrived_result {
  uuid monitor{};
  std::int64_t check_version = 1;            ///< the version of the monitor that was checked
  checks::kept_result kept{};                ///< `slot` is its due time, in milliseconds since 1970
  std::chrono::seconds covers{0};            ///< the time until the next check, at most one interval
  std::optional<checks::failure> failure{};  ///< only if the check did not succeed
  std::string details{};                     ///< JSON, only if the check did not succeed; empty: nothing to keep
  std::optional<checks::certificate_warning> warning{};
  uuid warning_id{};              ///< id of the warning: `checks::id_of`
  std::optional<uuid> request{};  ///< only of a requested check; then the store assigns `slot`
  alerting::observed_result seen() const;
};

/// A result that changes no verdict, with the state that follows from it at the row's `revision`.
struct counted_result {
  arrived_result result;
  std::int64_t revision = 0;
  alerting::location_state after{};
  covered_time covered{};  ///< including this result
};
/// Applies a result to the known state of its monitor.
counted_result result_of_location(check_memory const& knows, arrived_result result);

/// Shortens the time that the result covers by the maintenance that is excluded from the uptime. Flags a result whose
/// check started in maintenance.
void mark_maintenance(arrived_result& result, std::span<alerting::quiet_time const> times);

/// The outcome of a decision on a result.
struct result_fate {
  bool counted = false;  ///< false: the result was late, its slot had already counted, or it belongs to
                         ///< another version
  std::optional<check_memory> knows{};  ///< nothing: the monitor is not checked any more
  bool warning_waits = false;  ///< of a counted result: the monitor was muted or in maintenance, so its warning is
                               ///< still due
};

/// Turns results of checks into votes, verdicts, outages and alerts. Worker-local; the pool outlives it. Every method
/// throws `unavailable` when the database is gone or late. Then the results may or may not have counted, and the
/// caller may repeat the call: no result counts twice.
class check_store {
 public:
  explicit check_store(postgres::pool& db, uuid location = own_location) : db_(db), location_(location) {}

  /// Returns the live monitors of these shards.
  task<std::vector<watched_monitor>> read(std::vector<std::int64_t> shards, deadline until);
  /// Returns recent changes in these shards. The time window exceeds the longest transaction, so a caller that asks
  /// each second misses none.
  task<std::vector<monitor_news>> changed(std::vector<std::int64_t> shards, deadline until);
  /// Returns the monitors among these that are live.
  task<std::vector<watched_monitor>> read_these(std::vector<uuid> monitors, deadline until);

  /// Returns the maintenance of these monitors, except deleted ones. `mark_maintenance` applies it to a result.
  task<std::vector<std::pair<uuid, known_maintenance>>> read_maintenance(std::vector<uuid> monitors, deadline until);

  /// Counts results, at most one of each monitor, in one statement that does not wait for the disk. Returns for each
  /// result whether it counted. A result that did not count needs `decide`, because the row differs from the caller's
  /// copy.
  task<std::vector<bool>> count(std::vector<counted_result> results, deadline until);
  /// Counts results and applies their effects in one transaction. Takes at most one result of each monitor, and at
  /// most `most_decided`.
  task<std::vector<result_fate>> decide(std::vector<arrived_result> results, deadline until);
  /// Decides on up to `most_decided` monitors that are due for a decision without a new result. Returns the number
  /// that were due. A monitor on which no decision can be made is postponed, and the others are decided.
  task<std::int64_t> look(deadline until);

  static constexpr std::size_t most_decided = 50;

  /// Sets the listener for decisions that have changed a verdict, an outage or alerts.
  void when_decided(change_listener listener) { decided_.changed = std::move(listener); }
  /// Sets the listener for alerts that decisions have recorded and not sent.
  void when_suppressed(suppression_listener listener) { decided_.suppressed = std::move(listener); }

 private:
  task<std::int64_t> decide_due(std::int64_t most, std::vector<uuid>& taken, deadline until);

  postgres::pool& db_;
  uuid location_;
  decision_listeners decided_{};
};

}  // namespace svc::store
