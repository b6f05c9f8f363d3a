#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/core/async.hpp"
#include "svc/domain/monitoring/alerting/decide.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/monitors/check_store.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Conversions between rows and the values that decisions use.

namespace svc::store {

/// The columns that `read_state` reads, in its order.
inline constexpr auto check_state_columns =
    sql(" c.location_id, c.revision, c.check_version, c.last_slot, c.says, c.fails, c.oks, c.errors, c.slow,"
        " c.plain, c.degraded, c.failing_since, c.good_since, c.evidence_at, c.seen_at, c.failure,"
        " c.failure_message, c.error, c.error_message, c.covered, c.covered_well ");

/// A row of `check_states`.
struct location_row {
  uuid location;
  std::int64_t revision = 0, check_version = 1, last_slot = 0;
  alerting::location_state state{};
  covered_time covered{};
};
location_row read_state(postgres::row r, int first);

/// A monitor whose rows are locked.
struct locked_monitor {
  uuid id, project;
  std::string name;
  alerting::monitor_state state{};
  alerting::thresholds limits{};
  std::vector<location_row> locations{};
  /// Occurrences that cover the monitor now or later; only of a heartbeat, whose results are made under the lock.
  std::vector<alerting::quiet_time> ahead{};

  location_row* at(uuid location);
  check_memory memory_of(location_row const& row) const;
};

struct locked_monitors {
  timestamp now{};
  std::vector<locked_monitor> all{};  ///< by id

  locked_monitor* find(uuid id);
};

/// Returns the queries that lock monitors and all their votes, in an order that all transactions share, and then read
/// the inputs of decisions. A decision that did not lock a vote would miss a result that is counted at the same time.
std::vector<postgres::query> lock_and_read_monitors(std::vector<uuid> const& ids);
/// Reads the answers to these queries. The first answer is at index `first`.
locked_monitors read_locked(std::vector<postgres::rows> const& answers, std::size_t first = 0);

std::string_view name_of(alerting::verdict v);
alerting::verdict verdict_named(std::string_view name);
std::string_view name_of(alerting::location_status v);
/// Requires a reason that is written, so not `other`.
std::string_view name_of(alerting::suppression reason);
/// Returns `failureThreshold` and `recoveryThreshold` of an `alertConfig`, or the defaults without one.
alerting::thresholds thresholds_of(std::optional<std::string_view> alert_config);

/// Convert a failure to the values of its columns.
std::optional<std::int64_t> code_of(std::optional<checks::failure> const& failure);
std::optional<std::string_view> message_of(std::optional<checks::failure> const& failure);

/// A decision on a locked monitor. `counted` is the location whose row another statement writes. An interruption
/// restarts the verdict, even if the verdict stays the same.
struct decision_row {
  locked_monitor const& monitor;
  alerting::decision const& made;
  std::optional<uuid> counted{};
  bool interrupts = false;
  bool answers_request = false;  ///< the counted result is that of a requested check
};
/// Appends the queries that write the decisions. The number of statements does not depend on the number of decisions.
void write_decisions(std::span<decision_row const> all, timestamp now, std::vector<postgres::query>& queries);

}  // namespace svc::store
