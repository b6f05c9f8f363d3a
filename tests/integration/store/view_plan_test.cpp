// The statements of data that only pages need: what they read of an organisation with many runners, keys and runs.
#include "shop.hpp"

#include "svc/store/accounts/account_store.hpp"

#include <algorithm>
#include <cstdio>

using namespace svc;
using namespace svc::test;

namespace {

/// The ids of one resource of each type.
struct viewed_shop : shop {
  viewed_shop() {
    partition_runs();
    fill_people();
    fill_resources();
    fill_runners();
    as_owner("ANALYZE");
  }

  uuid first(std::string const& table) {
    return must({{"first_" + table, "SELECT id FROM " + table + " WHERE project_id = $1 ORDER BY id LIMIT 1"},
                 postgres::parameters(project)})
        .front()
        .id(0);
  }
  std::string quoted(uuid id) const { return "'" + id.to_string() + "'"; }

  uuid session = uuid::generate_v7();

 private:
  /// 200 organisations with 20 members each, and a session of Vi.
  void fill_people() {
    as_owner(
        "INSERT INTO organizations (id, slug, name) SELECT gen_random_uuid(), 'o' || i, 'O' FROM generate_series(1, "
        "200) i;"
        "INSERT INTO projects (id, organization_id, slug, name) SELECT gen_random_uuid(), o.id, 'p', 'P'"
        " FROM organizations o WHERE o.slug LIKE 'o%';"
        "WITH made AS (INSERT INTO subjects (id) SELECT gen_random_uuid() FROM generate_series(1, 4000) RETURNING id)"
        " INSERT INTO users (id, email, name) SELECT id, id || '@many.test', 'Many' FROM made;"
        "INSERT INTO organization_members (organization_id, user_id, role) SELECT o.id, u.id, 'org_member'"
        " FROM (SELECT id, row_number() OVER () AS n FROM organizations WHERE slug LIKE 'o%') o"
        " JOIN (SELECT id, row_number() OVER () AS n FROM users WHERE email LIKE '%@many.test') u"
        " ON u.n % 200 + 1 = o.n;"
        "INSERT INTO sessions (id, user_id, digest, method, last_ip, user_agent, expires_at) VALUES ('" +
        session.to_string() + "', '" + vi.to_string() +
        "', sha256('vi'), 'link', '127.0.0.1', 'a test', now() + interval '1 day')");
  }
  /// In each project 500 jobs with ten keys each, 2 000 tests with three tags each, 500 monitors with an outage and
  /// an alert each, 100 providers, 20 status pages and 9 000 runs.
  void fill_resources() {
    std::string const both = "(ARRAY[" + quoted(project) + ", " + quoted(other_project) + "]::uuid[])";
    as_owner(
        "INSERT INTO status_pages (id, project_id, name, domain_token, created_by) SELECT gen_random_uuid(), p.id,"
        " 'page', 'svc-verify=0123456789abcdef', " +
        quoted(ada) + " FROM projects p, generate_series(1, 20) i WHERE p.id = ANY " + both);
    as_owner(
        "INSERT INTO jobs (id, project_id, name, job_type, created_by, max_concurrent_runs) SELECT "
        "gen_random_uuid(), "
        "p.id, 'job ' || i, 'command', " +
        quoted(ada) + ", 100 FROM projects p, generate_series(1, 500) i WHERE p.id = ANY " + both +
        ";"
        "WITH made AS (INSERT INTO subjects (id) SELECT gen_random_uuid() FROM generate_series(1, 10000) RETURNING "
        "id), keys AS (SELECT id, row_number() OVER () - 1 AS n FROM made), places AS (SELECT id, project_id,"
        " row_number() OVER () - 1 AS n FROM jobs WHERE name LIKE 'job %')"
        " INSERT INTO tokens (id, kind, project_id, job_id, owner_id, created_by, name, start, slot)"
        " SELECT k.id, 'trigger', p.project_id, p.id, " +
        quoted(ada) + ", " + quoted(ada) +
        ", 'key ' || k.n, 'svc_trigger_', 1 + k.n % 10 FROM keys k JOIN places p ON p.n = k.n / 10;"
        "INSERT INTO token_last_use (token_id, used_at) SELECT id, now() - random() * interval '1 day' FROM tokens"
        " WHERE job_id IS NOT NULL;"
        "INSERT INTO tests (id, project_id, title, type, priority, script) SELECT gen_random_uuid(), p.id,"
        " 'test ' || i, CASE WHEN i % 10 = 0 THEN 'api' ELSE 'command' END, 'low', repeat('x', 3000)"
        " FROM projects p, generate_series(1, 2000) i WHERE p.id = ANY " +
        both +
        ";"
        "INSERT INTO tags (id, project_id, name, color, slot) SELECT gen_random_uuid(), p.id, 't' || i, '#000000', i"
        " FROM projects p, generate_series(1, 200) i WHERE p.id = ANY " +
        both +
        ";"
        "INSERT INTO test_tags (project_id, test_id, tag_id) SELECT t.project_id, t.id, g.id FROM (SELECT *,"
        " row_number() OVER (PARTITION BY project_id) AS n FROM tests) t JOIN tags g ON g.project_id = t.project_id"
        " AND g.slot IN (1 + t.n % 200, 1 + (t.n + 1) % 200, 1 + (t.n + 2) % 200);"
        "INSERT INTO notification_providers (id, project_id, name, type, config) SELECT gen_random_uuid(), p.id,"
        " 'p' || i, 'email', '{}' FROM projects p, generate_series(1, 100) i WHERE p.id = ANY " +
        both +
        ";"
        "INSERT INTO monitors (id, project_id, name, type, target, frequency_minutes, attempts_seconds, config,"
        " created_by) SELECT gen_random_uuid(), p.id, 'monitor ' || i, 'website', 'https://shop.example.org/', 5, 60,"
        " '{}', " +
        quoted(ada) + " FROM projects p, generate_series(1, 500) i WHERE p.id = ANY " + both +
        ";"
        "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason, cause,"
        " cause_message, cause_location, locations_down) SELECT gen_random_uuid(), project_id, id, now(), now(), "
        "now(),"
        " 'recovered', 3, 'refused', 'local', '{local}' FROM monitors;"
        "INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id,"
        " provider_name, status, attempts, last_attempt_at) SELECT gen_random_uuid(), m.project_id, "
        "'monitor_failure',"
        " 'monitor', m.id, 'm', o.id, 0, (SELECT n.id FROM notification_providers n WHERE n.project_id = m.project_id"
        " LIMIT 1), 'n', 'sent', 1, now() FROM monitors m JOIN outages o ON o.monitor_id = m.id");
    fill_runs(
        "SELECT j.project_id, j.id, 'remote', 'passed', now() - random() * interval '75 days' FROM jobs j CROSS JOIN"
        " generate_series(1, 18) WHERE j.name LIKE 'job %'");
  }
  /// 50 tokens with 40 runners each in the organisation and as many elsewhere. 5 000 runs of each project are queued,
  /// 1 000 are held by runners.
  void fill_runners() {
    as_owner(
        "INSERT INTO runner_tokens (id, organization_id, name, start, digest) SELECT gen_random_uuid(), o.id, 't' || "
        "i,"
        " 'svc_runner_', sha256(convert_to(o.id::text || i, 'UTF8')) FROM organizations o, generate_series(1, 50) i"
        " WHERE o.id = " +
        quoted(organization) +
        " OR o.slug = 'o1';"
        "INSERT INTO runners (id, token_id, name, version, labels, slots) SELECT gen_random_uuid(), t.id, 'r' || i,"
        " '1', '{command}', 4 FROM runner_tokens t, generate_series(1, 40) i");
    fill_runs(
        "SELECT j.project_id, j.id, 'remote', CASE WHEN i % 6 = 0 THEN 'running' ELSE 'queued' END, clock_timestamp()"
        " FROM (SELECT id, project_id, row_number() OVER (PARTITION BY project_id ORDER BY id) AS n FROM jobs"
        " WHERE name LIKE 'job %') j CROSS JOIN generate_series(1, 60) i WHERE j.n <= 100");
    as_owner(
        "UPDATE run_queue q SET runner_id = r.id FROM (SELECT run_id, row_number() OVER () AS n FROM run_queue WHERE"
        " status = 'running') held JOIN (SELECT r.id, row_number() OVER () AS n FROM runners r JOIN runner_tokens t"
        " ON t.id = r.token_id WHERE t.organization_id = " +
        quoted(organization) + ") r ON r.n = held.n WHERE q.run_id = held.run_id");
  }
};

}  // namespace

TEST_CASE("data that only pages need is read by keys and indexes of the project, whatever else there is") {
  viewed_shop db;
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::run_store runs(pool);
  store::account_store accounts(pool);
  store::token_store tokens(pool);
  store::test_store tests(pool);
  auto const run = db.must({{"some_queued",
                             "SELECT run_id FROM run_queue WHERE project_id = $1 AND status = 'queued'"
                             " ORDER BY run_id LIMIT 1"},
                            postgres::parameters(db.project)})
                       .front()
                       .id(0);
  auto const waiting = db.wait(runs.waiting(db.project, run, 0, db.soon()));
  REQUIRE(waiting.has_value());
  CHECK(waiting->status == "queued");
  CHECK(waiting->limit == 100);
  CHECK(waiting->running == 10);
  CHECK(waiting->runners.size() == 1000);
  CHECK(std::ranges::count(waiting->runners, std::int64_t{1}, &store::waited_runner::busy) > 0);
  // One slot of a shared runner for each project: some runners have it in use.
  auto const shared = db.wait(runs.waiting(db.project, run, 1, db.soon()));
  REQUIRE(shared.has_value());
  CHECK(std::ranges::count(shared->runners, true, &store::waited_runner::full) > 0);
  CHECK(std::ranges::count(waiting->runners, true, &store::waited_runner::full) == 0);

  std::vector<std::pair<char const*, char const*>> const tables{{"monitor", "monitors"},
                                                                {"outage", "outages"},
                                                                {"alert", "alerts"},
                                                                {"job", "jobs"},
                                                                {"run", "run_history"},
                                                                {"test", "tests"},
                                                                {"provider", "notification_providers"},
                                                                {"status_page", "status_pages"}};
  std::vector<plan_case> cases;
  std::vector<std::string> statements, arguments;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    auto const id = db.first(tables[i].second);
    auto const type = static_cast<store::page_resource>(i);
    auto const found = db.wait(accounts.locate(db.vi, db.session, type, id, db.soon()));
    CAPTURE(tables[i].first);
    REQUIRE(found);
    CHECK(found->organization == "acme");
    CHECK(found->project == "shop");
    CHECK(found->user_role == role::project_viewer);
    CHECK(found->policy_met);
    CHECK(found->parent.has_value() == (type == store::page_resource::outage));
    CHECK_FALSE(db.wait(accounts.locate(uuid::generate_v7(), db.session, type, id, db.soon())));
    statements.push_back(std::string("place_of_") + tables[i].first);
    arguments.push_back(db.quoted(db.vi) + ", " + db.quoted(db.session) + ", " + db.quoted(id));
  }
  for (std::size_t i = 0; i < tables.size(); ++i)
    cases.push_back({statements[i].c_str(), arguments[i], {"organization_members_pkey", "sessions_pkey"}});

  auto const limited = db.wait(tokens.limited(db.project, 100, db.soon()));
  CHECK(std::ranges::count_if(limited, [](auto const& each) { return each.job.has_value(); }) == 100);
  db.wait(tests.list(db.project, {.type = "api"}, {}, db.soon()));
  auto const project = db.quoted(db.project) + ", ", queued = project + db.quoted(run);
  auto const tag = db.quoted(db.first("tags"));
  cases.push_back({"run_waiting", queued, {"run_queue_pkey", "run_queue_running", "jobs_pkey"}});
  cases.push_back({"run_waiting_runners", queued + ", 0", {"run_queue_pkey", "run_queue_held"}});
  cases.push_back({"token_list_limited", project + "100", {"tokens_of_project", "token_last_use_pkey"}});
  cases.push_back({"test_list", project + "NULL, 21, 0, NULL, NULL, 'api', NULL", {"tests_newest"}});
  cases.push_back({"test_list", project + "NULL, 21, 0, NULL, NULL, NULL, " + tag, {"tests_newest"}});
  cases.push_back({"test_list", project + "NULL, 21, 0, NULL, NULL, 'api', " + tag, {"tests_newest"}});
  db.check_plans(pool, cases, [](plan_case const& c, std::string const& plan) {
    std::printf("%7.2f ms  %s\n", execution_ms(plan), c.statement);
    for (auto const* const table :
         {"run_history", "run_results", "tokens", "runners", "alerts", "outages", "monitors"})
      CHECK(plan.find(std::string("Seq Scan on ") + table) == std::string::npos);
    // The keys of all projects would be found by these.
    CHECK(plan.find("tokens_of_owner") == std::string::npos);
    CHECK(plan.find("Hash Right Join") == std::string::npos);
    CHECK(execution_ms(plan) < 500);
  });
}
