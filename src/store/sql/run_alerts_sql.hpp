#pragma once

#include "store/sql/sql_text.hpp"

namespace svc::store {

/// The part of a statement that ends runs and makes their alerts due: the runs of the CTE `ended` (run_id,
/// job_id, status) whose job has alerts enabled. It locks no row that others change.
consteval auto run_alerts_due(auto const& ended) {
  return sql(
      "alerts_due AS (INSERT INTO run_alerts_due (job_id, run_id, status) SELECT x.job_id, x.run_id, x.status"
      " FROM ",
      ended,
      " x CROSS JOIN LATERAL (SELECT FROM job_streaks WHERE job_id = x.job_id LIMIT 1) s"
      " WHERE x.status <> 'cancelled')");
}

}  // namespace svc::store
