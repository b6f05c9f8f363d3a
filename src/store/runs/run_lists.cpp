#include "store/runs/run_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/runs/run_store.hpp"

namespace svc::store {
namespace {

// $1 project, $2 job, $3 status, $4 trigger, $5 and $6 the time, $7 limit + 1, $8 offset, $9 the id to start after.
// An id starts with the time of its run, so runs are listed, and bounded in time, by their ids alone. All filters are
// evaluated in an index, and rows are fetched only for the page. So a filter for a rare value does not read every
// run. Partitions are read from the newest to the oldest, no further than the page needs.
#define SVC_PROJECT "(SELECT $1::uuid)"
#define SVC_JOB "(SELECT j.id FROM jobs j WHERE j.id = $2 AND j.project_id = $1)"
#define SVC_STATUS "(SELECT $3::text)"
#define SVC_TRIGGER "(SELECT $4::text)"
#define SVC_FROM "first_id_at(greatest($5::timestamptz, 'epoch'))"
#define SVC_TO "first_id_at(greatest(coalesce($6::timestamptz, 'infinity'), 'epoch'))"

// `rows` is "TABLE r WHERE ..."; the rest of the order is in its index. `id` is its column of ids.
#define SVC_COUNTED(rows, id) rows " AND r." id " >= (SELECT " SVC_FROM ") AND r." id " < (SELECT " SVC_TO ")"
#define SVC_NEWEST(rows, id)                                               \
  "(SELECT r." id " AS id FROM " rows " AND r." id " >= (SELECT " SVC_FROM \
  ")"                                                                      \
  " AND r." id " < (SELECT least(" SVC_TO                                  \
  ", coalesce($9::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')))"         \
  " ORDER BY r." id " DESC LIMIT (SELECT $7::bigint + $8::bigint))"
#define SVC_PAGE(keys)                                                                                           \
  SVC_RUN_COLUMNS "FROM (SELECT id FROM (" keys                                                                  \
                  ") newest ORDER BY id DESC LIMIT (SELECT $7::bigint)"                                          \
                  " OFFSET (SELECT $8::bigint)) k"                                                               \
                  " CROSS JOIN LATERAL (SELECT * FROM run_history r WHERE r.id = k.id LIMIT 1) h" SVC_RUN_STATE( \
                      "k.id") "ORDER BY k.id DESC"
#define SVC_GUESS(table, id)                                                                  \
  "estimated_rows('SELECT FROM " table                                                        \
  " r WHERE r.project_id = ' || quote_literal($1::uuid)"                                      \
  " || coalesce(' AND r.job_id = ' || quote_literal($2::uuid), '')"                           \
  " || coalesce(' AND r.status = ' || quote_literal($3::text), '')"                           \
  " || coalesce(' AND r.trigger = ' || quote_literal($4::text), '')"                          \
  " || coalesce(' AND r." id " >= ' || quote_literal(CASE WHEN $5 IS NOT NULL THEN " SVC_FROM \
  " END), '')"                                                                                \
  " || coalesce(' AND r." id " < ' || quote_literal(CASE WHEN $6 IS NOT NULL THEN " SVC_TO " END), ''))"
#define SVC_LIST(table, where, id)                                              \
  SVC_PAGED(SVC_COUNTED(table " r WHERE " where, id), SVC_GUESS(table, id), "", \
            SVC_PAGE(SVC_NEWEST(table " r WHERE " where, id)))

// The indexes of a project's runs have the trigger before the id: the triggers' lists are merged.
#define SVC_EACH(table, where, id)                                                                             \
  "(VALUES ('remote'), ('schedule'), ('manual')) each (trigger) CROSS JOIN LATERAL (SELECT FROM " SVC_COUNTED( \
      table " r WHERE " where " AND r.trigger = each.trigger", id) " LIMIT 10001) r"
#define SVC_OF(trigger, table, where, id) SVC_NEWEST(table " r WHERE " where " AND r.trigger = '" trigger "'", id)
#define SVC_MERGED(table, where, id)                                          \
  SVC_PAGED(SVC_EACH(table, where, id), SVC_GUESS(table, id), "",             \
            SVC_PAGE(SVC_OF("remote", table, where, id) " UNION ALL " SVC_OF( \
                "schedule", table, where, id) " UNION ALL " SVC_OF("manual", table, where, id)))

#define SVC_OF_PROJECT "r.project_id = " SVC_PROJECT
#define SVC_ENDED SVC_OF_PROJECT " AND r.status = " SVC_STATUS
#define SVC_BY_TRIGGER " AND r.trigger = coalesce(" SVC_TRIGGER ", r.trigger)"
constexpr postgres::statement list_all{"run_list", SVC_MERGED("run_history", SVC_OF_PROJECT, "id")};
constexpr postgres::statement list_by_trigger{
    "run_list_by_trigger", SVC_LIST("run_history", SVC_OF_PROJECT " AND r.trigger = " SVC_TRIGGER, "id")};
constexpr postgres::statement list_ended{"run_list_by_status", SVC_MERGED("run_results", SVC_ENDED, "run_id")};
constexpr postgres::statement list_ended_by_trigger{
    "run_list_by_both", SVC_LIST("run_results", SVC_ENDED " AND r.trigger = " SVC_TRIGGER, "run_id")};
constexpr postgres::statement list_of_job{"run_list_of_job",
                                          SVC_LIST("run_history", "r.job_id = " SVC_JOB SVC_BY_TRIGGER, "id")};
constexpr postgres::statement list_ended_of_job{
    "run_list_of_job_by_status",
    SVC_LIST("run_results", "r.job_id = " SVC_JOB " AND r.status = " SVC_STATUS SVC_BY_TRIGGER, "run_id")};

// Waiting or running runs: the indexes of claims limit the reads to the project's queue.
#define SVC_LIVE_PART(condition)                                                                           \
  "SELECT q.run_id FROM run_queue q WHERE q.project_id = " SVC_PROJECT " AND " condition                   \
  " AND q.status = " SVC_STATUS                                                                            \
  " AND ((SELECT $2::uuid) IS NULL OR q.job_id = (SELECT $2::uuid)) AND q.trigger = coalesce(" SVC_TRIGGER \
  ", q.trigger)"
#define SVC_LIVE                                                                          \
  "(" SVC_LIVE_PART("q.status = 'queued' AND NOT q.limited") " UNION ALL " SVC_LIVE_PART( \
      "q.status = 'queued' AND q.limited") " UNION ALL " SVC_LIVE_PART("q.status = 'running'") ") r WHERE true"
constexpr postgres::statement list_live{
    "run_list_live", SVC_PAGED(SVC_COUNTED(SVC_LIVE, "run_id"), SVC_GUESS("run_queue", "run_id"), "",
                               SVC_PAGE(SVC_NEWEST(SVC_LIVE, "run_id")))};
#undef SVC_LIVE
#undef SVC_LIVE_PART
#undef SVC_BY_TRIGGER
#undef SVC_ENDED
#undef SVC_OF_PROJECT
#undef SVC_MERGED
#undef SVC_OF
#undef SVC_EACH
#undef SVC_LIST
#undef SVC_GUESS
#undef SVC_PAGE
#undef SVC_NEWEST
#undef SVC_COUNTED
#undef SVC_TO
#undef SVC_FROM
#undef SVC_TRIGGER
#undef SVC_STATUS
#undef SVC_JOB
#undef SVC_PROJECT

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
