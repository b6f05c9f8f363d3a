#include "shop.hpp"
#include "svc/store/jobs/tag_store.hpp"
#include "svc/store/jobs/variable_store.hpp"
#include "svc/store/windows/window_store.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace svc;
using namespace svc::test;

namespace {

/// Variables `i` of projects `p`.
void fill_variables(shop& db, std::string const& text) {
  db.as_owner(
      "INSERT INTO project_keys (project_id, key_id, master_key_id, wrapped) SELECT id, gen_random_uuid(), 'm', 'w'"
      " FROM projects ON CONFLICT DO NOTHING;"
      "INSERT INTO variables (id, project_id, key, sealed, key_id, is_secret)"
      " SELECT gen_random_uuid(), k.project_id, 'V' || i, decode(repeat('ab', 60), 'hex'), k.key_id, true"
      " FROM (SELECT i, p.id FROM " +
      text + ") v JOIN project_keys k ON k.project_id = v.id");
}

/// 3 000 jobs, 3 000 tests with 3 of 200 tags each, 2 000 providers, 3 000 variables and 9 500 runs in `shop`, 500 of
/// them of the newest job. The other project has about as many, so that a project is not the whole table.
void fill(shop& db) {
  db.partition_runs();
  std::string const project =
      "(ARRAY['" + db.project.to_string() + "', '" + db.other_project.to_string() + "']::uuid[])";
  db.as_owner(
      "INSERT INTO tests (id, project_id, title, type, priority, script)"
      " SELECT gen_random_uuid(), " +
      project +
      "[1 + i % 2], 'test ' || i, 'command', 'low', repeat('x', 3000)"
      " FROM generate_series(1, 6000) i;"
      "INSERT INTO projects (id, organization_id, slug, name) SELECT gen_random_uuid(), organization_id, 'p' || i, "
      "'p'"
      " FROM projects, generate_series(1, 20) i WHERE slug = 'shop';"
      "INSERT INTO tags (id, project_id, name, color, slot) SELECT gen_random_uuid(), p.id, 't' || i, '#000000', i"
      " FROM projects p, generate_series(1, 200) i;"
      "INSERT INTO test_tags (project_id, test_id, tag_id) SELECT t.project_id, t.id, g.id FROM tests t JOIN LATERAL"
      " (SELECT id FROM tags WHERE project_id = t.project_id AND slot <= 3) g ON true;"
      "INSERT INTO jobs (id, project_id, name, job_type, created_by)"
      " SELECT gen_random_uuid(), " +
      project + "[1 + i % 2], 'job ' || i, 'command', '" + db.ada.to_string() +
      "'"
      " FROM generate_series(1, 6000) i;"
      "INSERT INTO job_tests (project_id, job_id, test_id, position)"
      " SELECT j.project_id, j.id, t.id, t.place - 1 FROM jobs j CROSS JOIN LATERAL"
      " (SELECT id, row_number() OVER () AS place FROM tests WHERE project_id = j.project_id LIMIT 2) t;"
      "INSERT INTO notification_providers (id, project_id, name, type, config)"
      " SELECT gen_random_uuid(), " +
      project + "[1 + i % 2], 'p' || i, 'email', '{}' FROM generate_series(1, 4000) i;");
  db.fill_runs(
      "SELECT j.project_id, j.id, 'remote', CASE WHEN i = 3 THEN 'failed' ELSE 'passed' END, now() - CASE WHEN i > 1"
      " THEN random() * interval '75 days' ELSE '0' END FROM jobs j CROSS JOIN generate_series(1, 3) i");
  db.fill_runs(
      "SELECT j.project_id, j.id, 'remote', 'queued', clock_timestamp() FROM (SELECT * FROM jobs WHERE"
      " project_id = '" +
      db.project.to_string() + "' ORDER BY created_at DESC, id DESC LIMIT 1) j CROSS JOIN generate_series(1, 500)");
  fill_variables(db, "generate_series(1, 3000) i JOIN projects p ON p.id = ANY" + project);
  db.as_owner("ANALYZE");
}

/// 100 projects, 10 000 jobs, 1 000 000 runs and as many tests as jobs. `shop` has a tenth of everything, and one job
/// in a thousand has a hundred times the runs of others.
void fill_large(shop& db) {
  db.partition_runs();
  std::string const project = "'" + db.project.to_string() + "'::uuid";
  db.as_owner(
      "INSERT INTO projects (id, organization_id, slug, name) SELECT gen_random_uuid(), '" +
      db.organization.to_string() +
      "', 'p' || i, 'p' FROM generate_series(1, 98) i;"
      "CREATE TABLE place AS SELECT id, row_number() OVER () AS n FROM projects WHERE id <> " +
      project +
      ";"
      "INSERT INTO jobs (id, project_id, name, job_type, created_by) SELECT gen_random_uuid(), CASE WHEN i % 10 = 0"
      " THEN " +
      project + " ELSE (SELECT id FROM place WHERE n = 1 + i % 99) END, 'job ' || i, 'command', '" +
      db.ada.to_string() +
      "' FROM generate_series(1, 10000) i;"
      "INSERT INTO tests (id, project_id, title, type, priority, script) SELECT gen_random_uuid(), project_id,"
      " 'test of ' || name, 'command', 'low', repeat('x', 3000) FROM jobs;"
      "INSERT INTO notification_providers (id, project_id, name, type, config) SELECT gen_random_uuid(), project_id,"
      " name, 'email', '{}' FROM jobs;"
      "CREATE TABLE maker AS SELECT id, project_id, name, row_number() OVER (ORDER BY project_id = " +
      project +
      ", created_at, id) - 1 AS n FROM jobs;"
      "CREATE INDEX ON maker (n);"
      "INSERT INTO tags (id, project_id, name, color, slot) SELECT gen_random_uuid(), p.id, 't' || i, '#000000', i"
      " FROM projects p, generate_series(1, 200) i;");
  db.fill_runs(
      "SELECT m.project_id, m.id, CASE WHEN i % 50000 = 7 THEN 'manual' ELSE 'remote' END, CASE WHEN i % 1000 = 0 "
      "THEN"
      " 'failed' ELSE 'passed' END, now() - interval '78 days' + i * interval '6.7 seconds'"
      " FROM generate_series(1, 1000000) i JOIN maker m ON m.n = CASE WHEN i % 100 = 0 THEN 10000 ELSE i % 10000 "
      "END");
  std::string const spot = "(SELECT CASE WHEN i % 10 = 0 THEN " + project +
                           " ELSE (SELECT id FROM place WHERE n = 1 + i % 99) END AS owner, i FROM ";
  fill_variables(db, spot + "generate_series(1, 10000) i) x JOIN projects p ON p.id = x.owner");
  db.as_owner("VACUUM ANALYZE run_history");
  db.as_owner("VACUUM ANALYZE run_results");
  db.as_owner("ANALYZE");
}

/// The service's statements as one connection prepares them, each for its first page.
struct lists {
  explicit lists(shop& shop) : db(shop), pool(shop.io, {.url = secret_string(shop.url()), .size = 1}) { prepare(); }

  struct list_case {
    char const* statement;
    std::string arguments;
    std::vector<char const*> indexes;
  };
  std::vector<list_case> cases() const;
  void set_plan_mode(std::string const& mode) {
    std::string const sql = "SET plan_cache_mode = " + mode;
    db.wait(pool.run(postgres::query{{mode, sql}}, db.soon())).value();
  }

  shop& db;
  postgres::pool pool;
  uuid first{};
  /// Filters that leave few rows, and a page far into a list: each must find its rows without reading the rest.
  std::vector<list_case> hard_cases() const;

 private:
  void prepare();
  void prepare_others();
};

void lists::prepare() {
  pool.start();
  store::job_store jobs(pool);
  store::test_store tests(pool);
  store::run_store runs(pool);
  store::provider_store providers(pool, db.master);
  first = db.wait(jobs.list(db.project, {}, {}, db.soon())).rows.front().id;
  using enum store::job_order;
  // The usual first page has statements of its own.
  for (std::int64_t const limit : {20, 19})
    for (auto const order : {newest, oldest, name, name_descending})
      db.wait(jobs.list(db.project, {.order = order}, {.limit = limit}, db.soon()));
  db.wait(tests.list(db.project, {}, {}, db.soon()));
  db.wait(runs.list(db.project, {}, {}, db.soon()));
  db.wait(runs.list(db.project, {.status = "failed"}, {}, db.soon()));
  db.wait(runs.list(db.project, {.status = "failed", .trigger = "manual"}, {}, db.soon()));
  db.wait(runs.list(db.project, {.trigger = "manual"}, {}, db.soon()));
  db.wait(runs.list(db.project, {.job = first}, {}, db.soon()));
  db.wait(runs.list(db.project, {.job = first, .status = "failed"}, {}, db.soon()));
  db.wait(runs.list(db.project, {.status = "queued"}, {}, db.soon()));
  db.wait(providers.list(db.project, {}, db.soon()));
  for (auto const order : {newest, name})
    db.wait(jobs.list(db.project, {.status = "failed", .order = order}, {}, db.soon()));
  prepare_others();
}

void lists::prepare_others() {
  store::tag_store tags(pool);
  store::variable_store variables(pool, db.master);
  db.wait(tags.list(db.project, {}, db.soon()));
  db.wait(store::window_store(pool).list(db.project, {}, {}, db.soon()));
  db.wait(variables.list(db.project, {}, db.soon()));
}

std::vector<lists::list_case> lists::cases() const {
  std::string const project = "'" + db.project.to_string() + "', ";
  std::string const whole = "'" + db.project.to_string() + "'";
  std::string const filters = "NULL, NULL, 21, 0, NULL, NULL", of_runs = "NULL, NULL, 21, 0, NULL";
  std::string const ada = "'" + db.ada.to_string() + "'";
  return {
      {"job_first_newest", whole, {"jobs_newest", "job_id_id_trigger_idx"}},
      {"job_first_oldest", whole, {"jobs_newest", "job_id_id_trigger_idx"}},
      {"job_first_by_name", whole, {"jobs_by_name", "job_id_id_trigger_idx"}},
      {"job_first_by_name_down", whole, {"jobs_by_name", "job_id_id_trigger_idx"}},
      {"job_list_newest", project + "NULL, NULL, 21, 0, NULL, NULL, NULL", {"jobs_newest", "job_id_id_trigger_idx"}},
      {"job_list_oldest", project + "NULL, NULL, 21, 0, NULL, NULL, NULL", {"jobs_newest", "job_id_id_trigger_idx"}},
      {"job_list_by_name",
       project + "NULL, NULL, 21, 0, NULL, NULL, NULL",
       {"jobs_by_name", "job_id_id_trigger_idx"}},
      {"job_list_by_name_down",
       project + "NULL, NULL, 21, 0, NULL, NULL, NULL",
       {"jobs_by_name", "job_id_id_trigger_idx"}},
      {"test_list", project + "NULL, 21, 0, NULL, NULL, NULL, NULL", {"tests_newest"}},
      {"run_list", project + "NULL, NULL, NULL, " + of_runs, {"project_id_trigger_id_idx"}},
      {"run_list_by_status", project + "NULL, 'failed', NULL, " + of_runs, {"project_id_status_trigger_run_id_idx"}},
      {"run_list_by_trigger", project + "NULL, NULL, 'manual', " + of_runs, {"project_id_trigger_id_idx"}},
      {"run_list_of_job", project + "'" + first.to_string() + "', NULL, NULL, " + of_runs, {"job_id_id_trigger_idx"}},
      {"run_list_of_job_by_status",
       project + "'" + first.to_string() + "', 'passed', NULL, " + of_runs,
       {"job_id_status_run_id_trigger_idx"}},
      {"provider_list", project + "21, 0, NULL, NULL", {"notification_providers_newest"}},
      {"tag_list", project + "21, 0, NULL, NULL", {"tags_newest"}},
      {"variable_list", project + "21, 0, NULL, NULL", {"variables_newest"}},
      {"window_list", project + "21, 0, NULL, NULL, NULL, NULL", {"maintenance_windows_newest"}},
  };
}

/// Returns true if the page comes from a sort. The active occurrence of one window, among its few newest, may.
bool sorts_rows(std::string const& page) {
  for (auto sort = page.find("->  Sort"); sort != std::string::npos; sort = page.find("->  Sort", sort + 1)) {
    auto const key = page.find("Sort Key: ", sort);
    if (!page.substr(key).starts_with("Sort Key: o.ends_at DESC, o.starts_at DESC\n")) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("lists read their page from the index that has its order") {
  shop db;
  fill(db);
  lists all(db);
  // Early calls of a prepared statement get custom plans, later ones may get a generic plan.
  for (auto const* mode : {"force_custom_plan", "force_generic_plan"}) {
    all.set_plan_mode(mode);
    for (auto const& c : all.cases()) {
      CAPTURE(mode);
      CAPTURE(c.statement);
      std::string const plan = db.plan_of(all.pool, c.statement, c.arguments);
      if (std::getenv("SVC_SHOW_PLANS") != nullptr) std::printf("== %s, %s\n%s\n", c.statement, mode, plan.c_str());
      CAPTURE(plan);
      // The page itself: rows come in order from an index, never from a sort of all; only a job's tests are sorted.
      // Counting is the first child of the join, the page the second.
      auto const second = plan.find("\n  ->  ", plan.find("\n  ->  ") + 1);
      REQUIRE(second != std::string::npos);
      auto const begin = plan.find("->  Limit", second);
      REQUIRE(begin != std::string::npos);
      std::string const page = plan.substr(begin);
      for (auto const* index : c.indexes) CHECK(page.find(index) != std::string::npos);
      // One key for each project: too few here for an index.
      CHECK(page.find("Seq Scan") == page.find("Seq Scan on project_keys"));
      CHECK_FALSE(sorts_rows(page.substr(0, page.find("SubPlan"))));
    }
  }
}

TEST_CASE("the usual first page of jobs is not planned again for each execution") {
  shop db;
  fill(db);
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::job_store jobs(pool);
  for (int i = 0; i < 10; ++i) db.wait(jobs.list(db.project, {}, {}, db.soon()));
  postgres::query const ask{{"plans",
                             "SELECT generic_plans, custom_plans FROM pg_prepared_statements"
                             " WHERE name = 'job_first_newest'"}};
  auto const plans = db.wait(pool.run(ask, db.soon()));
  CHECK(plans->front().integer(0) == 5);
  CHECK(plans->front().integer(1) == 5);
}

std::vector<lists::list_case> lists::hard_cases() const {
  std::string const project = "'" + db.project.to_string() + "', ";
  std::string const job = "'" + first.to_string() + "', ";
  std::string const page = ", NULL, NULL, 21, 0, NULL, NULL", runs = ", NULL, NULL, 21, 0, NULL";
  return {{"job_list_in_status_newest", project + "'failed', NULL, 21, 0, NULL, NULL, NULL", {}},
          {"job_list_in_status_by_name", project + "'passed', NULL, 21, 0, NULL, NULL, NULL", {}},
          {"job_list_newest", project + "NULL, 'nothing', 21, 0, NULL, NULL, NULL", {}},
          {"test_list", project + "'nothing', 21, 0, NULL, NULL, NULL, NULL", {}},
          {"run_list_by_status", project + "NULL, 'passed', NULL" + runs, {}},
          {"run_list_by_both", project + "NULL, 'passed', 'schedule'" + runs, {}},
          {"run_list_by_trigger", project + "NULL, NULL, 'remote'" + runs, {}},
          {"run_list_of_job", project + job + "NULL, NULL" + runs, {}},
          {"run_list_of_job", project + job + "NULL, 'schedule'" + runs, {}},
          {"run_list_of_job_by_status", project + job + "'passed', NULL" + runs, {}},
          {"run_list_of_job_by_status", project + job + "'passed', 'schedule'" + runs, {}},
          {"run_list_live", project + "NULL, 'queued', NULL" + runs, {}},
          {"run_list", project + "NULL, NULL, NULL, NULL, NULL, 21, 9980, NULL", {}},
          {"run_list", project + "NULL, NULL, NULL, now() - interval '1 hour', NULL, 21, 0, NULL", {}},
          {"run_list", project + "NULL, NULL, NULL, NULL, NULL, 21, 0, first_id_at(now() - interval '77 days')", {}}};
}

// SVC_STORE_LONG=1: loading takes minutes.
TEST_CASE("with a million runs every list takes at most 10 ms of the database's time") {
  if (std::getenv("SVC_STORE_LONG") == nullptr) return;
  shop db;
  fill_large(db);
  lists all(db);
  auto cases = all.cases();
  for (auto& hard : all.hard_cases()) cases.push_back(std::move(hard));
  for (auto const& c : cases) {
    std::string plan;
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {  // the best of five, because of other load on the machine
      plan = db.plan_of(all.pool, c.statement, c.arguments);
      best = std::min(best, execution_ms(plan));
    }
    if (std::getenv("SVC_SHOW_PLANS") != nullptr) std::printf("%s\n", plan.c_str());
    std::printf("%6.2f ms  %s(%s)\n", best, c.statement, c.arguments.c_str());
    CAPTURE(c.statement);
    CAPTURE(c.arguments);
    CAPTURE(plan);
    CHECK(best <= 10);
  }
}
