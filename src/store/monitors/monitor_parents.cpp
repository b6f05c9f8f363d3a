#include "store/monitors/monitor_parents.hpp"

#include "store/sql/change_sql.hpp"

#include <utility>

namespace svc::store {
namespace {

constexpr postgres::statement lock_dependencies{"monitor_lock_dependencies",
                                                "SELECT FROM projects WHERE id = $1 FOR NO KEY UPDATE"};

constexpr postgres::statement find_parents{"monitor_find_parents", R"(
SELECT id FROM monitors WHERE project_id = $1 AND id = ANY ($2) AND deleted_at IS NULL)"};

// Reads each dependency of the project at most once. Deleted monitors count, because they may be restored.
constexpr postgres::statement find_cycle{"monitor_find_cycle", R"(
WITH RECURSIVE reached (id) AS (
  SELECT unnest($2::uuid[])
  UNION
  SELECT d.parent_id FROM reached r JOIN monitor_dependencies d ON d.monitor_id = r.id
)
SELECT EXISTS (SELECT FROM reached WHERE id = $1))"};

constexpr postgres::statement delete_parents{"monitor_delete_parents",
                                             "DELETE FROM monitor_dependencies WHERE monitor_id = $1"};

constexpr postgres::statement insert_parents{"monitor_insert_parents", R"(
INSERT INTO monitor_dependencies (project_id, monitor_id, parent_id, slot)
SELECT $1, $2, p.id, p.slot FROM unnest($3::uuid[]) WITH ORDINALITY p (id, slot))"};

}  // namespace

postgres::query lock_dependencies_query(uuid project) {
  return {lock_dependencies, postgres::parameters(project)};
}

void look_for_parents(uuid project, uuid monitor, std::vector<uuid> const& wanted,
                      std::vector<postgres::query>& queries) {
  queries.push_back({find_parents, postgres::parameters(project, wanted)});
  queries.push_back({find_cycle, postgres::parameters(monitor, wanted)});
}

result<> check_parents(std::vector<uuid> const& wanted, std::vector<postgres::rows> const& answers,
                       std::size_t first) {
  auto wrong = check_known(wanted, answers[first], "/dependsOn/", "", "is not a monitor of this project");
  if (!wrong.empty())
    return error(errc::validation_failed, "The monitor cannot depend on these monitors.", std::move(wrong));
  if (answers[first + 1].front().boolean(0)) return errc::dependency_cycle;
  return {};
}

void replace_parents(uuid project, uuid monitor, std::vector<uuid> const& wanted,
                     std::vector<postgres::query>& queries) {
  queries.push_back({delete_parents, postgres::parameters(monitor)});
  if (!wanted.empty()) queries.push_back({insert_parents, postgres::parameters(project, monitor, wanted)});
}

}  // namespace svc::store
