#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/domain/run.hpp"
#include "svc/postgres/rows.hpp"

// Shared parts of the statements that read runs. A run is in `run_history` from its creation on. Its state is in
// `run_queue` until the run ends, and then in `run_results`.
//
// Partitions make a plan large, and PostgreSQL plans again for each execution if that looks cheaper. Two ways prevent
// this. Where one row is looked up, LIMIT 1 makes the kept plan look as cheap, and only the partition of the id is
// opened. Elsewhere parameters are in sub-selects, so that the planner does not see them.

namespace svc::store {

/// The state `s` of the run with this id: from the queue, or, once the run has ended, from the results.
consteval auto run_state(auto const& id) {
  return sql(
      " CROSS JOIN LATERAL (SELECT q.status, q.attempt, q.queued_at, q.started_at, NULL::timestamptz AS completed_at,"
      " NULL::text AS error_details, NULL::text AS report_url, q.version, q.updated_at, NULL::json AS reported"
      " FROM run_queue q WHERE q.run_id = ",
      id,
      " UNION ALL SELECT e.status, e.attempt, NULL, e.started_at, e.completed_at, e.error_details, e.report_url,"
      " e.version, e.completed_at, e.reported FROM run_results e WHERE e.run_id = ",
      id, " LIMIT 1) s ");
}

/// `run_tests` of the schema, inlined, because a call takes longer than all other columns together. The only test of
/// a running run is running; of several tests the service does not know which one is.
inline constexpr auto run_tests = sql(
    "CASE WHEN s.reported IS NULL AND s.status = 'running' AND h.test_count = 1"
    " THEN jsonb_set(h.tests, '{0,status}', '\"running\"', false)"
    " WHEN s.reported IS NULL THEN h.tests ELSE (SELECT coalesce(jsonb_agg(p.of || coalesce("
    "(SELECT t.of::jsonb FROM json_array_elements(s.reported) t (of) WHERE t.of ->> 'id' = p.of ->> 'id' LIMIT 1),"
    " jsonb_build_object('status', CASE s.status WHEN 'cancelled' THEN s.status ELSE 'skipped' END))"
    " ORDER BY p.place), '[]') FROM jsonb_array_elements(h.tests) WITH ORDINALITY p (of, place)) END");

/// The columns that `read_run_row` reads, in its order. They come from the history `h` and the state `s`.
inline constexpr auto run_columns =
    sql(" h.id, h.job_id, h.job_name, h.test_id, h.job_type, s.status, h.trigger, h.triggered_by, h.parameters, ",
        run_tests,
        ", h.test_count, s.attempt, coalesce(s.queued_at, h.created_at), s.started_at, s.completed_at,"
        " s.error_details, s.report_url, s.version, h.created_at, s.updated_at ");

/// One run: $1 project, $2 id.
inline constexpr auto run_by_id = sql("SELECT", run_columns, "FROM run_history h", run_state("$2::uuid"),
                                      "WHERE h.project_id = $1 AND h.id = $2 LIMIT 1");

/// Reads the columns above, starting at column `first`.
run read_run_row(postgres::row r, int first = 0);

}  // namespace svc::store
