#include "store/runs/queue_sql.hpp"

#include "store/sql/settled.hpp"

namespace svc::store {

namespace {

constexpr postgres::statement count_queued{"queue_count", R"(
SELECT queued_runs(project_id, $2) FROM unnest($1::uuid[]) WITH ORDINALITY asked (project_id, place) ORDER BY place)"};

}  // namespace

postgres::query queue_count_query(std::vector<queue_gate::counting> const& of, std::int64_t most) {
  std::vector<uuid> projects;
  for (auto const& one : of) projects.push_back(one.project);
  return {count_queued, postgres::parameters(projects, most)};
}

void learn_counts(queue_gate& gate, std::vector<queue_gate::counting> const& of, postgres::rows const& found) {
  auto const now = steady::now();
  for (std::size_t i = 0; i < of.size(); ++i) gate.counted(of[i], found[static_cast<int>(i)].integer(0), now);
}

task<std::optional<queue_gate::place>> find_place(postgres::unit_of_work& work, queue_gate gate, uuid project) {
  for (;;) {
    auto const unknown = gate.uncounted({{project, 1}}, steady::now());
    if (!unknown.empty()) {
      learn_counts(gate, unknown, settled(co_await work.run(queue_count_query(unknown, gate.limit()))));
    }
    auto const state = gate.state(project, steady::now());
    if (state == queue_state::room) co_return gate.take(project);
    if (state == queue_state::full) co_return std::nullopt;
  }
}

}  // namespace svc::store
