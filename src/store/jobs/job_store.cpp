#include "svc/store/jobs/job_store.hpp"

#include "store/jobs/job_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/postgres/pool.hpp"

namespace svc::store {

namespace {

// $2 status, $3 search, $4 limit + 1, $5 offset, $6 to $8 the key to start after.
constexpr auto wanted_jobs =
    sql("j.project_id = $1 AND j.deleted_at IS NULL"
        " AND ($3::text IS NULL OR position(lower($3) IN lower(j.name)) > 0)");
constexpr auto estimated_jobs = sql(
    "estimated_rows('SELECT FROM jobs j WHERE j.deleted_at IS NULL AND j.project_id = ' || quote_literal($1::uuid))");
// The last run is looked up, by an index-only scan and its key, only if a status is requested.
constexpr auto is_in_status =
    sql("$2 = coalesce((SELECT s.status FROM (SELECT h.id FROM run_history h WHERE h.job_id = j.id"
        " ORDER BY h.id DESC LIMIT 1) n",
        run_state("n.id"), "), 'pending')");
constexpr auto status_filter = sql(" AND ($2::text IS NULL OR ", is_in_status, ")");
consteval auto job_list_sql(auto const& after, auto const& order) {
  return paged_sql(sql("jobs j WHERE ", wanted_jobs, status_filter), estimated_jobs, "",
                   sql(job_columns, job_tables, "WHERE ", wanted_jobs, after, status_filter, " ORDER BY ", order,
                       " LIMIT $4 OFFSET $5"));
}
// Each statement uses all of $6 to $8, because PostgreSQL refuses a parameter without a type.
constexpr auto no_name_bound = sql(" AND $8::text IS NULL");
constexpr auto no_time_bound = sql(" AND $6::timestamptz IS NULL");
constexpr auto list_newest_sql =
    job_list_sql(sql(no_name_bound, rows_before("j.created_at, j.id", "$6", "$7")), "j.created_at DESC, j.id DESC");
constexpr postgres::statement list_newest{"job_list_newest", list_newest_sql};
constexpr auto list_oldest_sql =
    job_list_sql(sql(no_name_bound, rows_behind("j.created_at, j.id", "$6", "$7")), "j.created_at, j.id");
constexpr postgres::statement list_oldest{"job_list_oldest", list_oldest_sql};
constexpr auto list_by_name_sql = job_list_sql(sql(no_time_bound,
                                                   " AND (j.name, j.id) > (coalesce($8::text, ''),"
                                                   " coalesce($7::uuid, '00000000-0000-0000-0000-000000000000'))"),
                                               "j.name, j.id");
constexpr postgres::statement list_by_name{"job_list_by_name", list_by_name_sql};
// No text sorts last in every collation, so this order has no default bound. Its first page has its own statement.
constexpr auto list_by_name_down_sql =
    job_list_sql(sql(no_time_bound, no_name_bound, " AND $7::uuid IS NULL"), "j.name DESC, j.id DESC");
constexpr postgres::statement list_by_name_down{"job_list_by_name_down", list_by_name_down_sql};
constexpr auto list_by_name_down_from_sql =
    job_list_sql(sql(no_time_bound, " AND (j.name, j.id) < ($8::text, $7::uuid)"), "j.name DESC, j.id DESC");
constexpr postgres::statement list_by_name_down_from{"job_list_by_name_down_from", list_by_name_down_from_sql};
// The first page as most ask for it: 20 rows, nothing filtered. Its bounds stand in the statement, because PostgreSQL
// plans a page of unknown bounds anew for each execution, which costs twice as much as the page.
constexpr std::int64_t usual_limit = 20;
constexpr auto all_jobs = sql("j.project_id = $1 AND j.deleted_at IS NULL");
consteval auto first_jobs(auto const& order) {
  return paged_sql(sql("jobs j WHERE ", all_jobs), estimated_jobs, "",
                   sql(job_columns, job_tables, "WHERE ", all_jobs, " ORDER BY ", order, " LIMIT 21"));
}
constexpr auto first_newest_sql = first_jobs("j.created_at DESC, j.id DESC");
constexpr postgres::statement first_newest{"job_first_newest", first_newest_sql};
constexpr auto first_oldest_sql = first_jobs("j.created_at, j.id");
constexpr postgres::statement first_oldest{"job_first_oldest", first_oldest_sql};
constexpr auto first_by_name_sql = first_jobs("j.name, j.id");
constexpr postgres::statement first_by_name{"job_first_by_name", first_by_name_sql};
constexpr auto first_by_name_down_sql = first_jobs("j.name DESC, j.id DESC");
constexpr postgres::statement first_by_name_down{"job_first_by_name_down", first_by_name_down_sql};
// By status and page number. Reads the last run of each job, but only once for both the count and the page; this is
// the main cost of this list.
consteval auto jobs_in_status(auto const& order) {
  return sql("WITH hits AS MATERIALIZED (SELECT j.id, row_number() OVER (ORDER BY ", order,
             ") AS place FROM jobs j WHERE ", wanted_jobs, " AND ", is_in_status, no_time_bound, no_name_bound,
             " AND $7::uuid IS NULL ORDER BY place LIMIT 10001) ",
             paged_sql("hits", estimated_jobs, "",
                       sql(job_columns, job_tables,
                           "JOIN (SELECT h.id, h.place FROM hits h ORDER BY h.place LIMIT "
                           "$4 OFFSET $5) h ON h.id = j.id ORDER BY h.place")));
}
constexpr auto status_newest_sql = jobs_in_status("j.created_at DESC, j.id DESC");
constexpr postgres::statement status_newest{"job_list_in_status_newest", status_newest_sql};
constexpr auto status_oldest_sql = jobs_in_status("j.created_at, j.id");
constexpr postgres::statement status_oldest{"job_list_in_status_oldest", status_oldest_sql};
constexpr auto status_by_name_sql = jobs_in_status("j.name, j.id");
constexpr postgres::statement status_by_name{"job_list_in_status_by_name", status_by_name_sql};
constexpr auto status_by_name_down_sql = jobs_in_status("j.name DESC, j.id DESC");
constexpr postgres::statement status_by_name_down{"job_list_in_status_by_name_down", status_by_name_down_sql};

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
