#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <cstdint>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Retention of results.
struct check_retention {
  std::int64_t result_days = 14;    ///< single results, 1..35
  std::int64_t summary_days = 800;  ///< daily summaries
  std::int64_t failure_days = 90;   ///< details of failures
};

/// Packs the results of each hour into a row for each monitor and location, and adds them to the sum of its day. The
/// first instance that is free packs. Packed rows and progress are committed in one transaction. Worker-local; the
/// pool outlives it. Every method throws `unavailable` when the database is gone or late.
class pack_store {
 public:
  /// `most_rows` limits the single results that a step holds in memory. It exceeds the number that any monitor has in
  /// an hour.
  explicit pack_store(postgres::pool& db, std::int64_t most_rows = 100'000) : db_(db), most_rows_(most_rows) {}

  struct step {
    bool more = false;           ///< there is more to pack now
    std::int64_t results = 0;    ///< packed by this step
    std::int64_t lag_hours = 0;  ///< past hours that are not packed; one is usual in the first two minutes of an hour
  };
  /// Packs the results of up to 2 000 monitors from the oldest hour that ended two minutes ago or earlier. Results of
  /// that hour that arrive later are never shown.
  task<step> pack(deadline until);
  /// Deletes expired data. Returns true if there is more to delete.
  task<bool> drop_old(check_retention keep, deadline until);

 private:
  postgres::pool& db_;
  std::int64_t most_rows_;
};

}  // namespace svc::store
