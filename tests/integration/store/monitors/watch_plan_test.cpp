// Tests which indexes serve statements that run all the time, and lists of monitors.
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "svc/store/monitors/check_history.hpp"
#include "svc/store/monitors/pack_store.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("checks, packing and lists of monitors read only through indexes") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  db.fill_monitors(5000);
  db.as_owner(
      "INSERT INTO check_raw SELECT h % 8, h, m.id, '00000000-0000-0000-0000-000000000000', h::bigint * 3600000, 60, "
      "''"
      " FROM monitors m, (SELECT hour - n AS h FROM check_packing, generate_series(1, 3) n) t;"
      "INSERT INTO check_hours SELECT h / 24 % 40, h, m.id, '00000000-0000-0000-0000-000000000000', 1, 1, 0, 60, 5, "
      "5,"
      " 5, '', '' FROM monitors m, (SELECT hour - 10 - n AS h FROM check_packing, generate_series(1, 3) n) t;"
      "INSERT INTO check_days SELECT m.id, '00000000-0000-0000-0000-000000000000', n, 1, 1, 0, 60, 5, 5, 5, ''"
      " FROM monitors m, generate_series(20000, 20002) n;"
      "UPDATE monitor_status SET look_at = now() + interval '1 hour'; UPDATE monitors SET changed_at = now() - "
      "interval '1 day'; ANALYZE");
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  // The pool prepares statements as the service does.
  store::check_store checks(pool);
  CHECK(db.wait(checks.read({1, 2}, db.soon())).size() > 50);
  db.wait(checks.changed({1}, db.soon()));
  CHECK(db.wait(checks.count({store::result_of_location(db.watched(id).knows, db.result_at(id, 0))}, db.soon()))
            .front());
  CHECK(db.wait(checks.look(db.soon())) == 0);
  CHECK(db.wait(store::pack_store(pool).pack(db.soon())).results == 0);
  store::check_history history(pool);
  db.wait(history.sum(id, {0}, {1}, store::history_resolution::hour, db.soon()));
  db.wait(history.sum(id, {0}, {1}, store::history_resolution::day, db.soon()));
  db.wait(history.results(id, {.end = timestamp{1}}, {.most = 1}, db.soon()));
  store::monitor_store monitors(pool, db.master);
  for (auto const order : {store::monitor_order::newest, store::monitor_order::name}) {
    CHECK(db.wait(monitors.list(db.project, {.order = order}, {}, db.soon())).rows.size() == 20);
  }
  std::string const quoted = "'" + id.to_string() + "'", local = "'00000000-0000-0000-0000-000000000000'";
  std::string const list = "'" + db.project.to_string() + "', NULL, NULL, NULL, 21, 0, NULL, NULL, NULL, NULL";
  std::string count =
      "true, ARRAY[" + local + "]::uuid[], ARRAY[" + quoted + "]::uuid[], '{1}', '{9999999999999}', '{up}'";
  for (int i = 0; i < 5; ++i) count += ", '{1}'";
  count += ", '{f}'";
  for (int i = 0; i < 4; ++i) count += ", ARRAY[now()]";
  count +=
      ", '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{5}', '{1793491200000}', '{60}', ARRAY[''::bytea], '{\"\"}', "
      "'{0}', '{0}'";
  std::vector<plan_case> const cases{
      {"checks_count", count, {"check_states_pkey"}},
      {"checks_read", local + ", '{1,2}'", {"monitors_of_shard", "check_states_pkey", "monitor_status_pkey"}},
      {"checks_changed", "'{1,2}'", {"monitors_changed"}},
      {"verdict_put_off", "", {"monitor_status_due"}},
      {"verdict_take_due", "50", {"monitor_status_due"}},
      {"history_hours", quoted + ", 1, 2", {"_pkey"}},
      {"history_days", quoted + ", 1, 2", {"check_days_pkey"}},
      {"results_packed", quoted + ", 49, 2", {"check_hours_0_pkey", "check_hours_1_pkey", "check_hours_2_pkey"}},
      {"monitor_list_newest", list, {"monitors_newest"}},
      {"monitor_list_by_name", list, {"monitors_by_name"}},
  };
  db.check_plans(pool, cases, [](plan_case const& plan_case, std::string const& plan) {
    // The plan reads only the requested ones of forty days.
    if (std::string_view(plan_case.statement) == "results_packed")
      CHECK(plan.find("check_hours_3") == std::string::npos);
    for (auto const* table :
         {"Seq Scan on monitors", "Seq Scan on check_raw", "Seq Scan on check_hours", "Seq Scan on check_states"}) {
      CHECK(plan.find(table) == std::string::npos);
    }
  });
}
