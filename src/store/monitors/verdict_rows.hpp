#pragma once

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

// Between rows and the values that decisions are made of.

namespace svc::store {

/// The columns that `read_state` reads, in its order.
#define SVC_STATE_COLUMNS                                                                               \
  " c.location_id, c.revision, c.check_version, c.last_slot, c.says, c.fails, c.oks, c.errors, c.slow," \
  " c.plain, c.degraded, c.failing_since, c.good_since, c.evidence_at, c.seen_at, c.failure,"           \
  " c.failure_message, c.error, c.error_message, c.covered, c.covered_well "

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

  location_row* at(uuid location);
  check_memory memory_of(location_row const& row) const;
};

struct locked_monitors {
  timestamp now{};
  std::vector<locked_monitor> all{};  ///< by id

  locked_monitor* find(uuid id);
};

/// The locks of monitors and of all their votes, in an order that all take them in; then what decisions need. A
/// decision that did not lock a vote would not see a result that is counted beside it.
std::vector<postgres::query> lock_and_read_monitors(std::vector<uuid> const& ids);
/// Reads the answers to those, which begin at `first`.
locked_monitors read_locked(std::vector<postgres::rows> const& answers, std::size_t first = 0);

std::string_view name_of(alerting::verdict v);
alerting::verdict verdict_named(std::string_view name);
std::string_view name_of(alerting::vote v);
/// `failureThreshold` and `recoveryThreshold` of an `alertConfig`; those of none where there is none.
alerting::thresholds thresholds_of(std::optional<std::string_view> alert_config);

/// As columns hold a failure.
std::optional<std::int64_t> code_of(std::optional<checks::failure> const& failure);
std::optional<std::string_view> message_of(std::optional<checks::failure> const& failure);

/// A decision on a monitor that is locked. `counted` is the location whose row another statement writes. An
/// interruption begins a verdict anew even if it is the same.
struct decided {
  locked_monitor const& monitor;
  alerting::decision const& made;
  std::optional<uuid> counted{};
  bool interrupts = false;
};
/// What writes them, in as many statements for many as for one.
void write_decisions(std::span<decided const> all, timestamp now, std::vector<postgres::query>& queries);

}  // namespace svc::store
