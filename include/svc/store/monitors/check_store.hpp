#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/monitoring/alerting/decide.hpp"
#include "svc/domain/monitoring/checks/certificate_warning.hpp"
#include "svc/domain/monitoring/checks/packed_hour.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Where the service itself checks from.
inline constexpr uuid own_location{};
inline constexpr std::string_view own_location_code = "local";

/// How much of the time since a target's trouble began is known, in seconds that results with evidence stand for.
/// What is not is no downtime. A value.
struct covered_time {
  std::int64_t in_all = 0;  ///< since the first failing check of the streak, or of the open outage
  std::int64_t well = 0;    ///< of that the good results since the last failing one: after them the outage is over

  friend bool operator==(covered_time const&, covered_time const&) = default;
};

/// `fails`: failing results in a row, with this one.
covered_time next_covered(covered_time time, checks::evidence says, std::int64_t seconds, std::uint32_t fails,
                          bool outage_open);

/// What a location knows of a monitor: its row, and what its votes depend on, all as of one `revision`. A value.
struct check_memory {
  std::int64_t revision = 0;
  std::int64_t check_version = 1;
  std::int64_t last_slot = 0;  ///< when the newest counted check was due: milliseconds since 1970
  alerting::location_state state{};
  covered_time covered{};
  alerting::verdict stands = alerting::verdict::pending;
  bool outage_open = false;
  alerting::thresholds limits{};
};

/// A live monitor, as whoever checks it needs it. A value.
struct watched_monitor {
  uuid id{}, project{}, organization{};
  std::string type{}, target{};
  std::string config{};  ///< JSON
  std::chrono::seconds interval{300};
  timestamp changed_at{};
  check_memory knows{};
  /// Ids of the certificates' warnings that were decided upon since it was read, and not while it was muted; what
  /// came before is told again in vain. The newest `most_warned`: behind one name there may be servers with several.
  std::vector<uuid> warned{};
  static constexpr std::size_t most_warned = 8;
};

/// A change of a monitor.
struct monitor_news {
  uuid id{};
  timestamp changed_at{};
  bool live = false;  ///< else it is not checked any more
};

/// A result on its way into the database. A value.
struct arrived_result {
  uuid monitor{};
  std::int64_t check_version = 1;            ///< that it was checked with
  checks::kept_result kept{};                ///< `slot`: when it was due, milliseconds since 1970
  std::chrono::seconds covers{0};            ///< that it stands for: an interval
  std::optional<checks::failure> failure{};  ///< where it did not end well
  std::string details{};                     ///< JSON, of one that did not end well; empty: nothing to keep
  std::optional<checks::certificate_warning> warning{};
  uuid warning_id{};              ///< of that: `checks::id_of`
  std::optional<uuid> request{};  ///< of one that was asked for out of turn; its `slot` is given by the store
  alerting::observed seen() const;
};

/// A result that changes no verdict, with what it makes of the row's `revision`.
struct voted_result {
  arrived_result result;
  std::int64_t revision = 0;
  alerting::location_state after{};
  covered_time covered{};  ///< with it
};
/// What a result makes of what is known.
voted_result vote_of(check_memory const& knows, arrived_result result);

/// What became of a result that was decided upon.
struct result_fate {
  bool counted = false;                 ///< else it was late, of a slot that had counted, or of another version
  std::optional<check_memory> knows{};  ///< nothing: the monitor is not checked any more
  bool muted = false;                   ///< of one that counted: what it warns of is still to be told
};

/// Results of checks into votes, verdicts, outages and alerts. Worker-local; the pool outlives it. Every method
/// throws `unavailable` when the database is gone or late; then what it was given may or may not have counted, and
/// may be given again: nothing counts twice.
class check_store {
 public:
  explicit check_store(postgres::pool& db, uuid location = own_location) : db_(db), location_(location) {}

  /// The live monitors of these shards.
  task<std::vector<watched_monitor>> read(std::vector<std::int64_t> shards, deadline until);
  /// What changed in these shards lately: longer ago than a transaction may take, so that none is missed by whoever
  /// asks each second.
  task<std::vector<monitor_news>> changed(std::vector<std::int64_t> shards, deadline until);
  /// Those of these that are live.
  task<std::vector<watched_monitor>> read_these(std::vector<uuid> monitors, deadline until);

  /// Counts results, at most one of each monitor, in one statement that does not wait for the disk. Says of each
  /// whether it counted; one that did not needs `decide`, because its row was another one than its caller knew.
  task<std::vector<bool>> count(std::vector<voted_result> results, deadline until);
  /// Counts results, at most one of each monitor and `most_decided`, with what they change, in one transaction.
  task<std::vector<result_fate>> decide(std::vector<arrived_result> results, deadline until);
  /// Decides on up to `most_decided` monitors whose time has come without a result. Returns the number that were due.
  /// A monitor on which no decision can be made is postponed, and the others are decided upon.
  task<std::int64_t> look(deadline until);

  static constexpr std::size_t most_decided = 50;

 private:
  task<std::int64_t> decide_due(std::int64_t most, std::vector<uuid>& taken, deadline until);

  postgres::pool& db_;
  uuid location_;
};

}  // namespace svc::store
