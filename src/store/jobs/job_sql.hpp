#pragma once

#include "store/runs/run_sql.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/domain/job.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

// Shared parts of the statements that read and change jobs.

namespace svc::store {

/// The columns that `read_job_row` reads, in its order; `r` is the newest run.
inline constexpr auto job_columns =
    sql(" j.id, j.name, j.description, j.job_type,"
        " ARRAY(SELECT jt.test_id FROM job_tests jt WHERE jt.job_id = j.id ORDER BY jt.position), j.cron_schedule,"
        " j.time_zone, j.enabled, j.timeout_seconds, j.max_concurrent_runs, j.parameters, j.alert_config,"
        " j.next_run_at, j.created_by, j.version, j.created_at, j.updated_at, r.id, r.status, r.queued_at,"
        " r.started_at, r.completed_at ");
inline constexpr auto job_tables =
    sql("FROM jobs j LEFT JOIN LATERAL (SELECT n.id, s.status, coalesce(s.queued_at, n.created_at) AS queued_at,"
        " s.started_at, s.completed_at FROM (SELECT h.id, h.created_at FROM run_history h WHERE h.job_id = j.id"
        " ORDER BY h.id DESC LIMIT 1) n",
        run_state("n.id"), ") r ON true ");

inline constexpr auto get_job_sql =
    sql("SELECT", job_columns, job_tables, "WHERE j.project_id = $1 AND j.id = $2 AND j.deleted_at IS NULL");
inline constexpr postgres::statement get_job{"job_get", get_job_sql};

/// Reads the columns above, starting at column `first`.
job read_job_row(postgres::row r, int first = 0);

}  // namespace svc::store
