// Which indexes serve requests for checks, and the ends of what is over.
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "svc/store/monitors/check_requests.hpp"
#include "svc/store/monitors/monitor_ends.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("requests for checks and ended rows are found through indexes") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  db.fill_monitors(5000);
  db.as_owner(
      "UPDATE monitors SET deleted_at = now() - interval '1 day', enabled = false WHERE id <> '" + id.to_string() +
      "' AND right(id::text, 1) < '8';"
      "INSERT INTO check_requests SELECT gen_random_uuid(), m.id, '00000000-0000-0000-0000-000000000000', m.shard,"
      " 'manual', now() - interval '10 min', now() FROM monitors m;"
      "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason, cause,"
      " cause_message, cause_location, locations_down) SELECT gen_random_uuid(), project_id, id, now(), now(), now(),"
      " 'recovered', 1, '', 'local', '{local}' FROM monitors;"
      "INSERT INTO check_failures SELECT m.id, '00000000-0000-0000-0000-000000000000', n, '{}'"
      " FROM monitors m, generate_series(1, 5) n; ANALYZE");
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::check_requests requests(pool);
  auto const asked = db.wait(requests.ask(db.as_ed(), id, db.soon())).value();
  CHECK(db.wait(requests.closed({asked}, db.soon())).empty());
  CHECK(db.wait(requests.open_in({id.bytes[15] & 63}, db.soon())).size() == 1);
  store::monitor_ends ends(pool);
  CHECK_FALSE(db.wait(ends.drop_old({}, db.soon())));
  CHECK(db.wait(ends.bound_failures(std::nullopt, db.soon())));
  CHECK(db.wait(ends.bound_outages(std::nullopt, db.soon())));
  db.as_owner(
      "INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id,"
      " provider_name, status) SELECT gen_random_uuid(), project_id, 'monitor_failure', 'monitor', id, name, id, 0, "
      "id,"
      " '', 'sent' FROM monitors; ANALYZE alerts");
  db.wait(ends.bound_alerts(std::nullopt, 100'000, db.soon()));
  std::string const local = "'00000000-0000-0000-0000-000000000000'";
  std::vector<plan_case> const cases{
      {"request_find_waiting", "ARRAY[gen_random_uuid()]", {"check_requests_pkey"}},
      {"request_open", "'{1,2}', " + local + ", 60", {"check_requests_one_open"}},
      {"ends_outages", "800, 500", {"outages_old"}},
      {"ends_monitors", "30, 20", {"monitors_old"}},
      {"ends_requests", "500", {"check_requests_old"}},
      {"ends_failures", local + ", 500, 10000, 100", {"check_failures_of_monitor", "monitors_pkey"}},
      {"ends_surplus_alerts", local + ", 20, 100000, 5000", {"alerts_newest"}},
      {"ends_surplus_outages", local + ", 500, 10000", {"outages_of_monitor", "monitors_pkey"}},
  };
  db.check_plans(pool, cases, [](plan_case const&, std::string const& plan) {
    for (auto const* table : {"Seq Scan on check_requests", "Seq Scan on outages", "Seq Scan on monitors",
                              "Seq Scan on check_failures", "Seq Scan on alerts"}) {
      CHECK(plan.find(table) == std::string::npos);
    }
  });
}
