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
/// All tables by time, except the tables of runs.
inline constexpr std::array tables_by_time{audit_by_time};

/// Returns the width of the partitions of runs that are kept for this time (0: for ever). Partitions must be narrow
/// enough that whole ones can be dropped, and few enough for queries that read all.
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

  /// Adds partitions until two whole ones lie ahead, and returns the number added, usually none. Any number of
  /// instances may call this; one of them adds the partitions. Throws `unavailable`.
  task<std::int64_t> add_ahead(table_by_time table, deadline until);

  /// Adds partitions to the tables of runs, like `add_ahead`. The partitions of these tables have common bounds.
  task<std::int64_t> add_runs_ahead(std::chrono::days width, deadline until);

  /// Runs ANALYZE on partitions that start to fill, because plans made while they were empty must not stay. Cheap if
  /// there is no such partition; meant for every few seconds. Returns the number analyzed. Throws `unavailable`.
  task<std::int64_t> analyze_filling(deadline until);

  /// Returns the partitions whose rows are all older than `before`, oldest first.
  task<std::vector<ended_partition>> ended(table_by_time table, timestamp before, deadline until);
  /// Drops a partition with its rows, and writes an audit row. Requires the login that owns the tables. Returns
  /// `validation_failed` with PostgreSQL's reason if PostgreSQL refuses.
  task<result<>> drop(table_by_time table, ended_partition which, audit_actor actor, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
