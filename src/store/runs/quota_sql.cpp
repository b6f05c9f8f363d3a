#include "store/runs/quota_sql.hpp"

#include "store/sql/settled.hpp"

namespace svc::store {
namespace {

constexpr postgres::statement look_usage{"quota_look",
                                         "SELECT used, bytes FROM project_usage WHERE project_id = $1 AND kind = $2"};

constexpr postgres::statement assert_usage{"quota_assert", "SELECT assert_quota($1, $2, $3, $4)"};

constexpr postgres::statement count_queued{"queue_count", R"(
SELECT queued_runs(project_id, $2) FROM unnest($1::uuid[]) WITH ORDINALITY asked (project_id, place) ORDER BY place)"};

}  // namespace

postgres::query growth::look() const {
  return {look_usage, postgres::parameters(project, of.name)};
}

result<> growth::fits(postgres::rows const& looked) const {
  amount held;
  if (!looked.empty()) held = {looked.front().integer(0), looked.front().integer(1)};
  switch (excess_of(held, more, most)) {
    case excess::count:
      return of.too_many;
    case excess::bytes:
      return of.too_large;
    case excess::none:
      break;
  }
  return {};
}

/// What does not grow may stand beyond its quota.
postgres::query growth::assertion() const {
  return {assert_usage, postgres::parameters(project, of.name, more.count > 0 ? most.count : std::int64_t(0),
                                             more.bytes > 0 ? most.bytes : std::int64_t(0))};
}

error growth::refusal(postgres::server_error const& why) const {
  std::string const kind(of.name);
  if (why.constraint == kind + "_quota") return {of.too_many};
  if (why.constraint == kind + "_bytes_quota") return {of.too_large};
  reject(why);
}

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
