#include "svc/store/directory/partition_store.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace svc::store {

namespace {

constexpr postgres::statement add_partitions{"partitions_add", R"(
SELECT add_partitions($1, make_interval(days => $2::int), now() + 2 * make_interval(days => $2::int)))"};

constexpr postgres::statement add_run_partitions{"partitions_add_runs", R"(
SELECT add_run_partitions(make_interval(days => $1::int), now() + 2 * make_interval(days => $1::int)))"};

constexpr postgres::statement analyze_partitions{"partitions_analyze", "SELECT analyze_filling_partitions()"};

constexpr postgres::statement ended_partitions{"partitions_ended", R"(
SELECT p.name, p.to_time, greatest(c.reltuples, 0)::bigint, pg_total_relation_size(c.oid)
  FROM time_partitions p JOIN pg_class c ON c.oid = p.name::regclass
 WHERE p.parent = $1 AND p.to_time <= $2 ORDER BY p.from_time)"};

constexpr postgres::statement drop_partition{"partitions_drop", "SELECT drop_partition($1)"};

audit_entry entry_for(table_by_time source, ended_partition const& which, audit_actor actor) {
  boost::json::object const details{{"partition", which.name}, {"before", to_rfc3339(which.end)}};
  std::string const table(source.name);
  return {.actor = std::move(actor),
          .action = table + ".dropped",
          .resource = table,
          .details = boost::json::serialize(details)};
}

}  // namespace

std::chrono::days run_partition_width(milliseconds kept) {
  using std::chrono::days;
  if (kept.count() == 0) return days(30);
  return std::clamp(std::chrono::duration_cast<days>(kept / 6), days(1), days(30));
}

task<std::int64_t> partition_store::add_ahead(table_by_time table, deadline until) {
  postgres::query ask{add_partitions, postgres::parameters(table.name, std::int64_t(table.width.count()))};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return found.front().integer(0);
}

task<std::int64_t> partition_store::add_runs_ahead(std::chrono::days width, deadline until) {
  postgres::query ask{add_run_partitions, postgres::parameters(std::int64_t(width.count()))};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return found.front().integer(0);
}

task<std::int64_t> partition_store::analyze_filling(deadline until) {
  postgres::rows const found = settled(co_await db_.run(postgres::query{analyze_partitions}, until));
  co_return found.front().integer(0);
}

task<std::vector<ended_partition>> partition_store::ended(table_by_time table, timestamp before, deadline until) {
  postgres::rows const found =
      settled(co_await db_.run(postgres::query{ended_partitions, postgres::parameters(table.name, before)}, until));
  std::vector<ended_partition> out;
  for (int i = 0; i < found.size(); ++i)
    out.push_back({std::string(found[i].text(0)), found[i].time(1), found[i].integer(2), found[i].integer(3)});
  co_return out;
}

task<result<>> partition_store::drop(table_by_time table, ended_partition which, audit_actor actor, deadline until) {
  std::vector<postgres::query> both;
  both.push_back({drop_partition, postgres::parameters(which.name)});
  both.push_back(audit_query(entry_for(table, which, std::move(actor))));
  auto const done = co_await db_.run(std::move(both), until);
  if (!done) co_return error(errc::validation_failed, which.name + ": " + done.error().message + ".");
  co_return result<>();
}

}  // namespace svc::store
