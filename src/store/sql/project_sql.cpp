#include "store/sql/project_sql.hpp"

#include "store/sql/settled.hpp"

namespace svc::store {
namespace {

constexpr postgres::statement lock_project{"project_lock", R"(
SELECT clock_timestamp() FROM projects WHERE id = $1 AND archived_at IS NULL FOR SHARE)"};

constexpr postgres::statement find_key{"project_key_find", R"(
SELECT key_id, wrapped, master_key_id FROM project_keys WHERE project_id = $1)"};

// Waits for a concurrent maker's COMMIT; the next statement then sees that one's key.
constexpr postgres::statement insert_key{"project_key_insert", R"(
INSERT INTO project_keys (project_id, key_id, master_key_id, wrapped) VALUES ($1, $2, $3, $4)
ON CONFLICT (project_id) DO NOTHING)"};

}  // namespace

postgres::query lock_project_query(uuid project) {
  return {lock_project, postgres::parameters(project)};
}

std::string place_of(uuid project, uuid row) {
  return project.to_string() + row.to_string();
}

task<project_key> data_key_of(postgres::unit_of_work& work, master_keys& master, uuid project) {
  postgres::query const find{find_key, postgres::parameters(project)};
  postgres::rows found = settled(co_await work.run(find));
  if (found.empty()) {
    uuid const id = uuid::generate_v7();
    sealer::data_key const made = master.make_data_key(place_of(project, id));
    std::vector<postgres::query> batch{
        {insert_key, postgres::parameters(project, id, master.current().id(), made.wrapped)}, find};
    found = settled(co_await work.run(std::move(batch)))[1];
  }
  postgres::row const key = found.front();
  co_return project_key{key.id(0), open_data_key(master, project, key.id(0), key.text(2), key.bytes(1))};
}

secret_bytes open_data_key(master_keys& master, uuid project, uuid key, std::string_view master_id,
                           byte_view wrapped) {
  auto plain = master.unwrap(master_id, wrapped, place_of(project, key));
  if (!plain) throw unavailable("no master key opens the data key of project " + project.to_string());
  return std::move(*plain);
}

}  // namespace svc::store
