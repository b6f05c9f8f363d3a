#include "shop.hpp"

#include <cstdio>
#include <cstdlib>

namespace svc::test {

shop::shop() {
  other_project = *wait(directory.create_project(organization, "depot", "Depot", actor, soon()));
}

store::editor shop::as_ed(std::optional<std::vector<std::int64_t>> expected) const {
  return {project, organization, {.user = ed, .name = "Ed", .user_agent = "caf\xe9"}, {.match = std::move(expected)}};
}

store::editor shop::elsewhere() const {
  return {other_project, organization, {.user = ada, .name = "Ada"}, {}};
}

test_case shop::make_test(std::string const& title, std::string const& type) {
  auto made = wait(tests.create(as_ed(), {.title = title, .type = type, .script = "echo " + title}, soon()));
  REQUIRE(made.has_value());
  return *made;
}

svc::job shop::make_job(std::string const& label, std::vector<uuid> ids, std::string const& parameters) {
  job_settings set{.name = label, .job_type = "command", .tests = std::move(ids), .parameters = parameters};
  auto made = wait(jobs.create(as_ed(), ed, std::move(set), soon()));
  REQUIRE(made.has_value());
  return *made;
}

store::triggered_run shop::make_run(uuid id) {
  auto made = wait(triggers.trigger(as_ed(), {.job = id, .triggered_by = "ci"}, soon()));
  REQUIRE(made.has_value());
  return *made;
}

uuid shop::make_run_at(uuid id, std::string const& address, std::string const& trigger) {
  std::string const sql =
      "INSERT INTO runs (id, project_id, job_id, job_name, job_type, trigger, triggered_by, test_count, "
      "timeout_seconds,"
      " created_at, queued_at) SELECT id_at(t.at, gen_random_uuid()), j.project_id, j.id, j.name, j.job_type, $2, "
      "'ci',"
      " 1, 60, t.at, t.at FROM jobs j, (SELECT " +
      address + " AS at) t WHERE j.id = $1 RETURNING id";
  std::string const label = "make_run_" + std::to_string(std::hash<std::string>()(sql));
  return must({{label, sql}, postgres::parameters(id, trigger)}).front().id(0);
}

void shop::fill_runs(std::string const& rows) {
  as_owner(
      "CREATE TEMP TABLE made AS SELECT id_at(n.at, gen_random_uuid()) AS id, n.* FROM (" + rows +
      ") n (project_id, job_id, trigger, status, at);"
      "INSERT INTO run_history (id, project_id, job_id, job_name, job_type, trigger, triggered_by, test_count,"
      " created_at) SELECT id, project_id, job_id, 'j', 'command', trigger, 'ci', 2, at FROM made;"
      "INSERT INTO run_results (run_id, project_id, job_id, trigger, status, attempt, completed_at, version)"
      " SELECT id, project_id, job_id, trigger, status, 1, at, 3 FROM made WHERE status NOT IN ('queued', 'running');"
      "INSERT INTO run_queue (run_id, project_id, job_id, job_type, trigger, status, timeout_seconds, queued_at,"
      " started_at, claim_id, lease_until) SELECT id, project_id, job_id, 'command', trigger, status, 60, at,"
      " CASE status WHEN 'running' THEN now() END, CASE status WHEN 'running' THEN gen_random_uuid() END,"
      " CASE status WHEN 'running' THEN now() + interval '30 seconds' END"
      " FROM made WHERE status IN ('queued', 'running')");
}

void shop::partition_runs() {
  as_owner(R"(
DO $$
DECLARE
  of text;
  part text;
  begins CONSTANT timestamptz := date_trunc('day', now(), 'UTC') - interval '70 days';
BEGIN
  FOREACH of IN ARRAY ARRAY['run_history', 'run_results', 'run_output'] LOOP
    FOR part IN SELECT name FROM time_partitions WHERE parent = of LOOP
      EXECUTE format('DROP TABLE %I', part);
    END LOOP;
    DELETE FROM time_partitions WHERE parent = of;
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', of || '_before', of,
                   first_id_at('-infinity'), first_id_at(begins));
    INSERT INTO time_partitions (name, parent, from_time, to_time) VALUES (of || '_before', of, '-infinity', begins);
    PERFORM add_partitions(of, interval '10 days', now());
  END LOOP;
END $$)");
}

void shop::set_run(uuid id, std::string const& assignments) {
  as_owner("UPDATE runs SET " + assignments + " WHERE id = '" + id.to_string() + "'");
}

std::string shop::plan_of(postgres::pool& pool, std::string const& statement, std::string const& arguments) {
  std::string const sql = "EXPLAIN (ANALYZE, TIMING OFF, BUFFERS) EXECUTE " + statement +
                          (arguments.empty() ? "" : "(" + arguments + ")");
  auto const label = "explain_" + statement + std::to_string(std::hash<std::string>()(arguments));
  auto const lines = wait(pool.run(postgres::query{{label, sql}}, soon()));
  std::string out;
  for (int i = 0; i < lines.value().size(); ++i) out += std::string(lines.value()[i].text(0)) + "\n";
  return out;
}

void shop::check_plans(postgres::pool& pool, std::vector<plan_case> const& cases,
                       std::function<void(plan_case const&, std::string const& plan)> const& more) {
  for (auto const* mode : {"force_custom_plan", "force_generic_plan"}) {
    std::string const set = std::string("SET plan_cache_mode = ") + mode;
    wait(pool.run(postgres::query{{mode, set}}, soon())).value();
    for (auto const& c : cases) {
      CAPTURE(mode);
      CAPTURE(c.statement);
      std::string const plan = plan_of(pool, c.statement, c.arguments);
      if (std::getenv("SVC_SHOW_PLANS") != nullptr) std::printf("== %s, %s\n%s\n", c.statement, mode, plan.c_str());
      CAPTURE(plan);
      for (auto const* index : c.indexes) CHECK(plan.find(index) != std::string::npos);
      more(c, plan);
    }
  }
}

double execution_ms(std::string const& plan) {
  auto const position = plan.find("Execution Time: ");
  REQUIRE(position != std::string::npos);
  return std::stod(plan.substr(position + 16));
}

}  // namespace svc::test
