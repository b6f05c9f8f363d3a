#pragma once

#include "svc/domain/run.hpp"
#include "svc/postgres/rows.hpp"

// What reading and cancelling a run share.

/// In the order of `read_run_row`.
#define SVC_RUN_COLUMNS                                                                                    \
  " r.id, r.job_id, r.job_name, r.test_id, r.job_type, r.status, r.trigger, r.triggered_by, r.parameters," \
  " r.tests, r.test_count, r.attempt, r.queued_at, r.started_at, r.completed_at, r.error_details,"         \
  " r.report_url, r.version, r.created_at, r.updated_at "
#define SVC_RUN_BY_ID "SELECT" SVC_RUN_COLUMNS "FROM runs r WHERE r.project_id = $1 AND r.id = $2"

namespace svc::store {

/// The columns above, from `first` on.
run read_run_row(postgres::row r, int first = 0);

}  // namespace svc::store
