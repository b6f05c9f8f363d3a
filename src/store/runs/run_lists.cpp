#include "store/runs/run_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/runs/run_store.hpp"

namespace svc::store {
namespace {

// $1 project, $2 job, $3 status, $4 trigger, $5 and $6 the time, $7 limit + 1, $8 offset, $9 the id to start after.
// An id starts with the time of its run, so runs are listed, and bounded in time, by their ids alone. All filters are
// evaluated in an index, and rows are fetched only for the page. So a filter for a rare value does not read every
// run. Partitions are read from the newest to the oldest, no further than the page needs.
constexpr auto list_project = sql("(SELECT $1::uuid)");
constexpr auto list_job = sql("(SELECT j.id FROM jobs j WHERE j.id = $2 AND j.project_id = $1)");
constexpr auto list_status = sql("(SELECT $3::text)");
constexpr auto list_trigger = sql("(SELECT $4::text)");
constexpr auto first_list_id = sql("first_id_at(greatest($5::timestamptz, 'epoch'))");
constexpr auto list_id_bound = sql("first_id_at(greatest(coalesce($6::timestamptz, 'infinity'), 'epoch'))");

// `rows` is "TABLE r WHERE ..."; the rest of the order is in its index. `id` is its column of ids.
consteval auto counted_runs(auto const& rows, auto const& id) {
  return sql(rows, " AND r.", id, " >= (SELECT ", first_list_id, ") AND r.", id, " < (SELECT ", list_id_bound, ")");
}
consteval auto newest_runs(auto const& rows, auto const& id) {
  return sql("(SELECT r.", id, " AS id FROM ", rows, " AND r.", id, " >= (SELECT ", first_list_id,
             ")"
             " AND r.",
             id, " < (SELECT least(", list_id_bound,
             ", coalesce($9::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')))"
             " ORDER BY r.",
             id, " DESC LIMIT (SELECT $7::bigint + $8::bigint))");
}
consteval auto page_of_runs(auto const& keys) {
  return sql(run_columns, "FROM (SELECT id FROM (", keys,
             ") newest ORDER BY id DESC LIMIT (SELECT $7::bigint)"
             " OFFSET (SELECT $8::bigint)) k"
             " CROSS JOIN LATERAL (SELECT * FROM run_history r WHERE r.id = k.id LIMIT 1) h",
             run_state("k.id"), "ORDER BY k.id DESC");
}
consteval auto estimated_runs(auto const& table, auto const& id) {
  return sql("estimated_rows('SELECT FROM ", table,
             " r WHERE r.project_id = ' || quote_literal($1::uuid)"
             " || coalesce(' AND r.job_id = ' || quote_literal($2::uuid), '')"
             " || coalesce(' AND r.status = ' || quote_literal($3::text), '')"
             " || coalesce(' AND r.trigger = ' || quote_literal($4::text), '')"
             " || coalesce(' AND r.",
             id, " >= ' || quote_literal(CASE WHEN $5 IS NOT NULL THEN ", first_list_id,
             " END), '')"
             " || coalesce(' AND r.",
             id, " < ' || quote_literal(CASE WHEN $6 IS NOT NULL THEN ", list_id_bound, " END), ''))");
}
consteval auto run_list_sql(auto const& table, auto const& condition, auto const& id) {
  return paged_sql(counted_runs(sql(table, " r WHERE ", condition), id), estimated_runs(table, id), "",
                   page_of_runs(newest_runs(sql(table, " r WHERE ", condition), id)));
}

// The indexes of a project's runs have the trigger before the id: the triggers' lists are merged.
consteval auto runs_of_each_trigger(auto const& table, auto const& condition, auto const& id) {
  return sql("(VALUES ('remote'), ('schedule'), ('manual')) each (trigger) CROSS JOIN LATERAL (SELECT FROM ",
             counted_runs(sql(table, " r WHERE ", condition, " AND r.trigger = each.trigger"), id),
             " LIMIT 10001) r");
}
consteval auto runs_of_trigger(auto const& trigger, auto const& table, auto const& condition, auto const& id) {
  return newest_runs(sql(table, " r WHERE ", condition, " AND r.trigger = '", trigger, "'"), id);
}
consteval auto merged_run_list(auto const& table, auto const& condition, auto const& id) {
  return paged_sql(runs_of_each_trigger(table, condition, id), estimated_runs(table, id), "",
                   page_of_runs(sql(runs_of_trigger("remote", table, condition, id), " UNION ALL ",
                                    runs_of_trigger("schedule", table, condition, id), " UNION ALL ",
                                    runs_of_trigger("manual", table, condition, id))));
}

constexpr auto is_of_project = sql("r.project_id = ", list_project);
constexpr auto is_ended = sql(is_of_project, " AND r.status = ", list_status);
constexpr auto trigger_filter = sql(" AND r.trigger = coalesce(", list_trigger, ", r.trigger)");
constexpr auto list_all_sql = merged_run_list("run_history", is_of_project, "id");
constexpr postgres::statement list_all{"run_list", list_all_sql};
constexpr auto list_by_trigger_sql =
    run_list_sql("run_history", sql(is_of_project, " AND r.trigger = ", list_trigger), "id");
constexpr postgres::statement list_by_trigger{"run_list_by_trigger", list_by_trigger_sql};
constexpr auto list_ended_sql = merged_run_list("run_results", is_ended, "run_id");
constexpr postgres::statement list_ended{"run_list_by_status", list_ended_sql};
constexpr auto list_ended_by_trigger_sql =
    run_list_sql("run_results", sql(is_ended, " AND r.trigger = ", list_trigger), "run_id");
constexpr postgres::statement list_ended_by_trigger{"run_list_by_both", list_ended_by_trigger_sql};
constexpr auto list_of_job_sql = run_list_sql("run_history", sql("r.job_id = ", list_job, trigger_filter), "id");
constexpr postgres::statement list_of_job{"run_list_of_job", list_of_job_sql};
constexpr auto list_ended_of_job_sql = run_list_sql(
    "run_results", sql("r.job_id = ", list_job, " AND r.status = ", list_status, trigger_filter), "run_id");
constexpr postgres::statement list_ended_of_job{"run_list_of_job_by_status", list_ended_of_job_sql};

// Waiting or running runs: the indexes of claims limit the reads to the project's queue.
consteval auto live_runs_in(auto const& condition) {
  return sql("SELECT q.run_id FROM run_queue q WHERE q.project_id = ", list_project, " AND ", condition,
             " AND q.status = ", list_status,
             " AND ((SELECT $2::uuid) IS NULL OR q.job_id = (SELECT $2::uuid)) AND q.trigger = coalesce(",
             list_trigger, ", q.trigger)");
}
constexpr auto live_runs = sql("(", live_runs_in("q.status = 'queued' AND NOT q.limited"), " UNION ALL ",
                               live_runs_in("q.status = 'queued' AND q.limited"), " UNION ALL ",
                               live_runs_in("q.status = 'running'"), ") r WHERE true");
constexpr auto list_live_sql = paged_sql(counted_runs(live_runs, "run_id"), estimated_runs("run_queue", "run_id"), "",
                                         page_of_runs(newest_runs(live_runs, "run_id")));
constexpr postgres::statement list_live{"run_list_live", list_live_sql};

postgres::statement list_for(run_filter const& filter) {
  if (filter.status == "queued" || filter.status == "running") return list_live;
  if (filter.job) return filter.status ? list_ended_of_job : list_of_job;
  if (filter.status) return filter.trigger ? list_ended_by_trigger : list_ended;
  return filter.trigger ? list_by_trigger : list_all;
}

}  // namespace

task<page<run>> run_store::list(uuid project, run_filter filter, page_request wanted, deadline until) {
  postgres::query ask{list_for(filter),
                      postgres::parameters(project, filter.job, filter.status, filter.trigger, filter.start,
                                           filter.end, wanted.limit + 1, wanted.offset(), wanted.after_id())};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_page<run>(found, wanted, 2, read_run_row, created_key<run>);
}

}  // namespace svc::store
