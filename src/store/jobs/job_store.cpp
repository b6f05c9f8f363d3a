#include "svc/store/jobs/job_store.hpp"

#include "store/jobs/job_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

namespace svc::store {

namespace {

// $2 status, $3 search, $4 limit + 1, $5 offset, $6 to $8 the key to start after.
#define SVC_WANTED                             \
  "j.project_id = $1 AND j.deleted_at IS NULL" \
  " AND ($3::text IS NULL OR position(lower($3) IN lower(j.name)) > 0)"
#define SVC_GUESS \
  "estimated_rows('SELECT FROM jobs j WHERE j.deleted_at IS NULL AND j.project_id = ' || quote_literal($1::uuid))"
// The last run is looked up, by an index-only scan and its key, only if a status is requested.
#define SVC_IN_STATUS                                                                         \
  "$2 = coalesce((SELECT s.status FROM (SELECT h.id FROM run_history h WHERE h.job_id = j.id" \
  " ORDER BY h.id DESC LIMIT 1) n" SVC_RUN_STATE("n.id") "), 'pending')"
#define SVC_LAST_STATUS " AND ($2::text IS NULL OR " SVC_IN_STATUS ")"
#define SVC_LIST(after, order)                                                                          \
  SVC_PAGED("jobs j WHERE " SVC_WANTED SVC_LAST_STATUS, SVC_GUESS, "",                                  \
            SVC_JOB_COLUMNS SVC_JOB_TABLES "WHERE " SVC_WANTED after SVC_LAST_STATUS " ORDER BY " order \
                                           " LIMIT $4 OFFSET $5")
// Each statement uses all of $6 to $8, because PostgreSQL refuses a parameter without a type.
#define SVC_NO_NAME " AND $8::text IS NULL"
#define SVC_NO_TIME " AND $6::timestamptz IS NULL"
constexpr postgres::statement list_newest{
    "job_list_newest",
    SVC_LIST(SVC_NO_NAME SVC_BEFORE("j.created_at, j.id", "$6", "$7"), "j.created_at DESC, j.id DESC")};
constexpr postgres::statement list_oldest{
    "job_list_oldest", SVC_LIST(SVC_NO_NAME SVC_BEHIND("j.created_at, j.id", "$6", "$7"), "j.created_at, j.id")};
constexpr postgres::statement list_by_name{
    "job_list_by_name", SVC_LIST(SVC_NO_TIME " AND (j.name, j.id) > (coalesce($8::text, ''),"
                                             " coalesce($7::uuid, '00000000-0000-0000-0000-000000000000'))",
                                 "j.name, j.id")};
// No text sorts last in every collation, so this order has no default bound. Its first page has its own statement.
constexpr postgres::statement list_by_name_down{
    "job_list_by_name_down", SVC_LIST(SVC_NO_TIME SVC_NO_NAME " AND $7::uuid IS NULL", "j.name DESC, j.id DESC")};
constexpr postgres::statement list_by_name_down_from{
    "job_list_by_name_down_from",
    SVC_LIST(SVC_NO_TIME " AND (j.name, j.id) < ($8::text, $7::uuid)", "j.name DESC, j.id DESC")};
// The first page as most ask for it: 20 rows, nothing filtered. Its bounds stand in the statement, because PostgreSQL
// plans a page of unknown bounds anew for each execution, which costs twice as much as the page.
constexpr std::int64_t usual_limit = 20;
#define SVC_ALL "j.project_id = $1 AND j.deleted_at IS NULL"
#define SVC_FIRST(order)                            \
  SVC_PAGED("jobs j WHERE " SVC_ALL, SVC_GUESS, "", \
            SVC_JOB_COLUMNS SVC_JOB_TABLES "WHERE " SVC_ALL " ORDER BY " order " LIMIT 21")
constexpr postgres::statement first_newest{"job_first_newest", SVC_FIRST("j.created_at DESC, j.id DESC")};
constexpr postgres::statement first_oldest{"job_first_oldest", SVC_FIRST("j.created_at, j.id")};
constexpr postgres::statement first_by_name{"job_first_by_name", SVC_FIRST("j.name, j.id")};
constexpr postgres::statement first_by_name_down{"job_first_by_name_down", SVC_FIRST("j.name DESC, j.id DESC")};
#undef SVC_FIRST
#undef SVC_ALL
// By status and page number. Reads the last run of each job, but only once for both the count and the page; this is
// the main cost of this list.
#define SVC_LIST_IN_STATUS(order)                                                          \
  "WITH hits AS MATERIALIZED (SELECT j.id, row_number() OVER (ORDER BY " order             \
  ") AS place FROM jobs j WHERE " SVC_WANTED " AND " SVC_IN_STATUS SVC_NO_TIME SVC_NO_NAME \
  " AND $7::uuid IS NULL ORDER BY place LIMIT 10001) " SVC_PAGED(                          \
      "hits", SVC_GUESS, "",                                                               \
      SVC_JOB_COLUMNS SVC_JOB_TABLES                                                       \
      "JOIN (SELECT h.id, h.place FROM hits h ORDER BY h.place LIMIT "                     \
      "$4 OFFSET $5) h ON h.id = j.id ORDER BY h.place")
constexpr postgres::statement status_newest{"job_list_in_status_newest",
                                            SVC_LIST_IN_STATUS("j.created_at DESC, j.id DESC")};
constexpr postgres::statement status_oldest{"job_list_in_status_oldest", SVC_LIST_IN_STATUS("j.created_at, j.id")};
constexpr postgres::statement status_by_name{"job_list_in_status_by_name", SVC_LIST_IN_STATUS("j.name, j.id")};
constexpr postgres::statement status_by_name_down{"job_list_in_status_by_name_down",
                                                  SVC_LIST_IN_STATUS("j.name DESC, j.id DESC")};
#undef SVC_LIST_IN_STATUS
#undef SVC_NO_TIME
#undef SVC_NO_NAME
#undef SVC_LIST
#undef SVC_LAST_STATUS
#undef SVC_IN_STATUS
#undef SVC_GUESS
#undef SVC_WANTED

/// The statements of one order: its usual first page, by page number or after a key, and by status and page number.
struct ordered_lists {
  postgres::statement first, numbered, after_key, in_status;
};

constexpr ordered_lists lists_in(job_order order) {
  switch (order) {
    case job_order::oldest:
      return {first_oldest, list_oldest, list_oldest, status_oldest};
    case job_order::name:
      return {first_by_name, list_by_name, list_by_name, status_by_name};
    case job_order::name_descending:
      return {first_by_name_down, list_by_name_down, list_by_name_down_from, status_by_name_down};
    case job_order::newest:
      break;
  }
  return {first_newest, list_newest, list_newest, status_newest};
}

bool is_usual_first(job_filter const& filter, page_request const& wanted) {
  return !filter.status && !filter.search && !wanted.after && wanted.offset() == 0 && wanted.limit == usual_limit;
}

postgres::query list_query(uuid project, job_filter const& filter, page_request const& wanted) {
  auto const lists = lists_in(filter.order);
  if (is_usual_first(filter, wanted)) return {lists.first, postgres::parameters(project)};
  return {wanted.after    ? lists.after_key
          : filter.status ? lists.in_status
                          : lists.numbered,
          postgres::parameters(project, filter.status, filter.search, wanted.limit + 1, wanted.offset(),
                               wanted.after_time(), wanted.after_id(), wanted.after_text())};
}

page_key key_by_name(job const& job) {
  return {.text = job.set.name, .id = job.id};
}

}  // namespace

job read_job_row(postgres::row r, int first) {
  job made;
  auto const entry = [first](int column) { return first + column; };
  made.id = r.id(entry(0));
  made.set.name = r.text(entry(1));
  made.set.description = r.maybe_text(entry(2));
  made.set.job_type = r.text(entry(3));
  made.set.tests = r.ids(entry(4));
  made.set.cron_schedule = r.maybe_text(entry(5));
  made.set.time_zone = r.text(entry(6));
  made.set.enabled = r.boolean(entry(7));
  made.set.timeout_seconds = r.integer(entry(8));
  made.set.max_concurrent_runs = r.maybe_integer(entry(9));
  made.set.parameters = r.text(entry(10));
  made.set.alert_config = r.maybe_text(entry(11));
  made.next_run_at = r.maybe_time(entry(12));
  made.created_by = r.id(entry(13));
  made.version = r.integer(entry(14));
  made.created_at = r.time(entry(15));
  made.updated_at = r.time(entry(16));
  if (!r.is_null(entry(17))) {
    made.last = last_run{r.id(entry(17)), std::string(r.text(entry(18))), r.time(entry(19)), r.maybe_time(entry(20)),
                         r.maybe_time(entry(21))};
  }
  return made;
}

task<page<job>> job_store::list(uuid project, job_filter filter, page_request wanted, deadline until) {
  bool const by_name = filter.order == job_order::name || filter.order == job_order::name_descending;
  postgres::query ask = list_query(project, filter, wanted);
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_page<job>(found, wanted, 2, read_job_row, by_name ? key_by_name : created_key<job>);
}

task<result<job>> job_store::get(uuid project, uuid id, deadline until) {
  return read_one<job>(db_.run({get_job, postgres::parameters(project, id)}, until), read_job_row);
}

}  // namespace svc::store
