#include "shop.hpp"

#include <cstdio>
#include <cstdlib>

namespace svc::test {

shop::shop() {
  other_project = *wait(directory.create_project(organization, "depot", "Depot", by, soon()));
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

svc::job shop::make_job(std::string const& label, std::vector<uuid> of, std::string const& parameters) {
  job_settings set{.name = label, .job_type = "command", .tests = std::move(of), .parameters = parameters};
  auto made = wait(jobs.create(as_ed(), ed, std::move(set), soon()));
  REQUIRE(made.has_value());
  return *made;
}

store::triggered_run shop::make_run(uuid of) {
  auto made = wait(triggers.trigger(as_ed(), {.job = of, .triggered_by = "ci"}, soon()));
  REQUIRE(made.has_value());
  return *made;
}

void shop::set_run(uuid id, std::string const& assignments) {
  as_owner("UPDATE runs SET " + assignments + " WHERE id = '" + id.to_string() + "'");
}

std::string shop::plan_of(postgres::pool& one, std::string const& statement, std::string const& arguments) {
  std::string const sql = "EXPLAIN (ANALYZE, TIMING OFF, BUFFERS) EXECUTE " + statement +
                          (arguments.empty() ? "" : "(" + arguments + ")");
  auto const label = "explain_" + statement + std::to_string(std::hash<std::string>()(arguments));
  auto const lines = wait(one.run(postgres::query{{label, sql}}, soon()));
  std::string out;
  for (int i = 0; i < lines.value().size(); ++i) out += std::string(lines.value()[i].text(0)) + "\n";
  return out;
}

void shop::check_plans(postgres::pool& one, std::vector<plan_case> const& cases,
                       std::function<void(plan_case const&, std::string const& plan)> const& more) {
  for (auto const* mode : {"force_custom_plan", "force_generic_plan"}) {
    std::string const set = std::string("SET plan_cache_mode = ") + mode;
    wait(one.run(postgres::query{{mode, set}}, soon())).value();
    for (auto const& c : cases) {
      CAPTURE(mode);
      CAPTURE(c.statement);
      std::string const plan = plan_of(one, c.statement, c.arguments);
      if (std::getenv("SVC_SHOW_PLANS") != nullptr) std::printf("== %s, %s\n%s\n", c.statement, mode, plan.c_str());
      CAPTURE(plan);
      for (auto const* index : c.indexes) CHECK(plan.find(index) != std::string::npos);
      more(c, plan);
    }
  }
}

double execution_ms(std::string const& plan) {
  auto const at = plan.find("Execution Time: ");
  REQUIRE(at != std::string::npos);
  return std::stod(plan.substr(at + 16));
}

}  // namespace svc::test
