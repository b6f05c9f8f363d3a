#include "runner_fixture.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace svc;
using namespace svc::test;

namespace {

/// Ended runs, 10 000 queued ones, and as many of a limited job whose one slot is taken.
void fill(machine& db, uuid limited, std::string const& ended) {
  auto const made = [&](uuid job, std::string const& count, std::string const& then) {
    return "WITH made AS (INSERT INTO run_history (id, project_id, job_id, job_name, job_type, trigger, triggered_by,"
           " test_count, created_at) SELECT id_at(at, gen_random_uuid()), '" +
           db.project.to_string() + "', '" + job.to_string() +
           "', 'j', 'command', 'remote', 'ci', 1, at FROM generate_series(1, " + count +
           ") i CROSS JOIN LATERAL (SELECT now() - i * interval '1 ms' AS at) times RETURNING *) " + then + ";";
  };
  auto const waiting = [&](std::string const& limited_or_not, std::string const& status) {
    return "INSERT INTO run_queue (run_id, project_id, job_id, job_type, trigger, limited, timeout_seconds, "
           "queued_at,"
           " status, claim_id, lease_until) SELECT id, project_id, job_id, job_type, trigger, " +
           limited_or_not + ", 60, created_at, " + status + " FROM made";
  };
  std::string const queued = "'queued', NULL, NULL", running = "'running', gen_random_uuid(), now()";
  db.as_owner("UPDATE jobs SET max_concurrent_runs = 1 WHERE id = '" + limited.to_string() + "';" +
              made(db.id, ended,
                   "INSERT INTO run_results (run_id, project_id, job_id, trigger, status, attempt, version)"
                   " SELECT id, project_id, job_id, trigger, 'passed', 1, 3 FROM made") +
              made(db.id, "10000", waiting("false", queued)) + made(limited, "10000", waiting("true", queued)) +
              made(limited, "1", waiting("true", running)) + "ANALYZE");
}

/// The buffers that a statement touched, according to its plan.
std::int64_t buffers_of(std::string const& plan) {
  std::int64_t out = 0;
  auto const line = plan.find("Buffers: shared");
  auto const end = plan.find('\n', line);
  for (std::string_view const word : {"hit=", "read="}) {
    auto const sv = plan.find(word, line);
    if (sv < end) out += std::stoll(plan.substr(sv + word.size()));
  }
  return out;
}

}  // namespace

// SVC_STORE_LONG=1: with a million ended runs.
TEST_CASE("a claim reads only the heads of its queues, whatever else is queued or has ended") {
  machine db;
  auto const limited = db.make_job("limited", {db.make_test("l").id}).id;
  fill(db, limited, std::getenv("SVC_STORE_LONG") != nullptr ? "1000000" : "20000");
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::runner_store runners(pool, db.master, std::chrono::seconds(30));
  auto const ask = [&](std::string name, std::string const& sql) {
    auto const got = db.wait(pool.run(postgres::query{{name, sql}}, db.soon()));
    std::string out;
    for (int i = 0; i < got.value().size(); ++i) out += std::string(got.value()[i].text(0)) + "\n";
    return out;
  };
  // From the sixth time on all share a generic plan: a custom plan would cost more than the claim.
  for (int i = 0; i < 8; ++i) {
    auto const got = db.wait(
        runners.claim(db.secret, {.runner = db.self, .labels = {"command"}, .scripts_apart = true}, db.soon()));
    REQUIRE(got->runs.size() == 1);
    store::claim_name const held{got->runs[0].run, got->runs[0].claim};
    REQUIRE(db.wait(runners.scripts(db.secret, held, {uuid::generate_v7()}, db.soon())).has_value());
  }
  auto const shared = postgres::query{{"shared_plans",
                                       "SELECT name FROM pg_prepared_statements WHERE name LIKE 'runner_%' AND"
                                       " generic_plans = 0 AND custom_plans > 5 ORDER BY name"}};
  auto const own = db.wait(pool.run(shared, db.soon()));
  for (int i = 0; i < own.value().size(); ++i) FAIL_CHECK(own.value()[i].text(0));
  ask("alone", "SET svc.claim_alone = 'true'");
  std::string const arguments = "'\\x" + to_hex(byte_view(db.secret)) + "', '" + db.self.to_string() +
                                "', '{command,k6}', 1, 30, 8388608, 0, true, '01234567-89ab-4cde'";
  for (std::string const mode : {"force_custom_plan", "force_generic_plan"}) {
    ask("mode_" + mode, "SET plan_cache_mode = " + mode);
    std::string best;
    for (int i = 0; i < 3; ++i) {
      auto const plan = ask("explain_" + mode + std::to_string(i),
                            "EXPLAIN (ANALYZE, TIMING OFF, BUFFERS) EXECUTE runner_claim(" + arguments + ")");
      if (best.empty() || buffers_of(plan) < buffers_of(best)) best = plan;
    }
    if (std::getenv("SVC_SHOW_PLANS") != nullptr) std::printf("== %s\n%s\n", mode.c_str(), best.c_str());
    CAPTURE(mode);
    CAPTURE(best);
    CHECK(best.find("using run_queue_to_claim") != std::string::npos);
    CHECK(best.find("Seq Scan on run_queue") == std::string::npos);
    CHECK(best.find("Seq Scan on run_history_before") == std::string::npos);
    // About a hundred candidates; the tables have tens of thousands of rows.
    CHECK(buffers_of(best) < 2000);
  }
}
