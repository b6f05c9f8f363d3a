#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/audit.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A table with partitions by time (schema V024).
struct table_by_time {
  std::string_view name;
  std::chrono::days width;  ///< of each partition that is added
};
inline constexpr table_by_time audit_by_time{"audit_log", std::chrono::days(30)};
/// All of them, except those of runs.
inline constexpr std::array tables_by_time{audit_by_time};

/// The width of partitions of runs that are kept for this time (0: for ever): enough of them for whole ones to go,
/// few enough for what reads all of them.
std::chrono::days run_partition_width(milliseconds kept);

/// A partition whose time has passed. A value.
struct ended_partition {
  std::string name;
  timestamp end;           ///< all its rows are older
  std::int64_t rows = 0;   ///< an estimate
  std::int64_t bytes = 0;  ///< with its indexes
};

/// The partitions of tables by time. Worker-local; the pool outlives it.
class partition_store {
 public:
  explicit partition_store(postgres::pool& db) : db_(db) {}

  /// Adds partitions until two whole ones lie ahead. Any number of instances may do this; one of them does it.
  /// Returns how many were added, usually none. Throws `unavailable`.
  task<std::int64_t> add_ahead(table_by_time table, deadline until);

  /// The same for the tables of runs, whose partitions have common bounds.
  task<std::int64_t> add_runs_ahead(std::chrono::days width, deadline until);

  /// Has PostgreSQL look at partitions that begin to fill, so that no plan that was made while they were empty is
  /// kept. Cheap when there is none; meant for every few seconds. Returns how many. Throws `unavailable`.
  task<std::int64_t> analyze_filling(deadline until);

  /// Those whose rows are all from before this time, oldest first.
  task<std::vector<ended_partition>> ended(table_by_time table, timestamp before, deadline until);
  /// Drops one with its rows, and writes an audit row. Only for the login that owns the tables. validation_failed
  /// with PostgreSQL's reason if it may not or cannot.
  task<result<>> drop(table_by_time table, ended_partition which, audit_actor actor, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
