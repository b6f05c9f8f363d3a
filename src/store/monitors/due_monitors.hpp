#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace svc::store {

/// One transaction that decides on up to `most` due monitors and returns their number. It appends the id of each
/// monitor to `taken` before it works on the first, so that a failure can be blamed on one of them.
using due_transaction =
    std::function<task<std::int64_t>(std::int64_t most, std::vector<uuid>& taken, deadline until)>;

/// An UPDATE that delays the next look at monitor $1, and returns the pause in seconds. The pause doubles with each
/// failure in a row, from 5 s to 10 min.
consteval auto postpone_sql(auto const& table, auto const& next_look) {
  return sql("UPDATE ", table, " SET failed_looks = least(failed_looks + 1, 20), ", next_look,
             " = clock_timestamp() + least(600, 5 * power(2, failed_looks)) * interval '1 s' WHERE monitor_id = $1"
             " RETURNING least(600, 5 * power(2, failed_looks - 1))::bigint");
}

/// Runs the transaction for up to `most` monitors. If it fails, each due monitor gets a transaction of its own, and
/// the ones that fail again are postponed: one tenant's monitor cannot stop the decisions on others. Returns the
/// number of monitors that were due. Throws what the transaction throws if it fails before it has taken a monitor,
/// because then the database is gone.
task<std::int64_t> decide_on_due(postgres::pool& db, due_transaction transaction, postgres::statement postpone,
                                 std::int64_t most, deadline until);

}  // namespace svc::store
