#include "store/directory/project_sql.hpp"

namespace svc::store {

namespace {

constexpr postgres::statement lock_project{"project_lock", R"(
SELECT clock_timestamp() FROM projects WHERE id = $1 AND archived_at IS NULL FOR SHARE)"};

}  // namespace

postgres::query lock_project_query(uuid project) {
  return {lock_project, postgres::parameters(project)};
}

}  // namespace svc::store
