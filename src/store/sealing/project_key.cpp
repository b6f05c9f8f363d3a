#include "store/sealing/project_key.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/sealing/key_rotation.hpp"

#include <boost/json.hpp>

namespace svc::store {

namespace {

constexpr postgres::statement find_key{"project_key_find", R"(
SELECT key_id, wrapped, master_key_id FROM project_keys WHERE project_id = $1)"};

// Waits for the COMMIT of a concurrent insertion, so that the next statement sees its key.
constexpr postgres::statement insert_key{"project_key_insert", R"(
INSERT INTO project_keys (project_id, key_id, master_key_id, wrapped) VALUES ($1, $2, $3, $4)
ON CONFLICT (project_id) DO NOTHING)"};

constexpr postgres::statement count_uses{"master_key_uses",
                                         "SELECT master_key_id, count(*) FROM project_keys GROUP BY master_key_id"};

constexpr postgres::statement count_left{"rotation_left",
                                         "SELECT count(*) FROM project_keys WHERE master_key_id <> $1"};

// NO KEY, so that sealing with the data key does not wait. Rows that another rotation has locked are skipped.
constexpr postgres::statement take_batch{"rotation_take", R"(
SELECT k.project_id, k.key_id, k.master_key_id, k.wrapped, p.organization_id
  FROM project_keys k JOIN projects p ON p.id = k.project_id
 WHERE k.master_key_id <> $1 AND k.project_id > $2
 ORDER BY k.project_id LIMIT 50 FOR NO KEY UPDATE OF k SKIP LOCKED)"};
constexpr int batch_size = 50;

constexpr postgres::statement rewrap{"rotation_rewrap", R"(
UPDATE project_keys SET master_key_id = $3, wrapped = $4 WHERE project_id = $1 AND key_id = $2)"};

audit_entry entry_of(audit_actor const& actor, postgres::row r, std::string_view out) {
  boost::json::object const details{{"from", r.text(2)}, {"to", out}};
  return {.actor = actor,
          .organization = r.id(4),
          .project = r.id(0),
          .action = "project_key.rewrapped",
          .resource = "project_key",
          .resource_id = r.id(1),
          .details = boost::json::serialize(details)};
}

}  // namespace

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

secret_string open_variable(master_keys& master, postgres::row r, int first, uuid project) {
  auto const key = open_data_key(master, project, r.id(first + 8), r.text(first + 10), r.bytes(first + 9));
  auto value = open_bytes(key, r.bytes(first + 7), place_of(project, r.id(first)));
  if (!value) throw unavailable("the sealed value of variable " + r.id(first).to_string() + " does not open");
  return std::move(*value);
}

task<std::vector<master_key_use>> master_key_uses(postgres::pool& db, deadline until) {
  postgres::query ask{count_uses};
  postgres::rows const found = settled(co_await db.run(std::move(ask), until));
  std::vector<master_key_use> out;
  for (int i = 0; i < found.size(); ++i) out.push_back({std::string(found[i].text(0)), found[i].integer(1)});
  co_return out;
}

task<std::int64_t> key_rotation::left(deadline until) {
  postgres::query ask{count_left, postgres::parameters(master_.current().id())};
  co_return settled(co_await db_.run(std::move(ask), until)).front().integer(0);
}

task<key_rotation::step> key_rotation::next(audit_actor actor, deadline until) {
  sealer const current = master_.current();
  postgres::unit_of_work work = co_await db_.begin(until);
  postgres::query ask{take_batch, postgres::parameters(current.id(), behind_)};
  postgres::rows const found = settled(co_await work.run(std::move(ask)));
  step out{.last = found.size() < batch_size};
  std::vector<postgres::query> last;
  for (int i = 0; i < found.size(); ++i) {
    postgres::row const r = found[i];
    behind_ = r.id(0);
    std::string const location = place_of(r.id(0), r.id(1));
    auto const plain = master_.unwrap(r.text(2), r.bytes(3), location);
    if (!plain) {
      out.unreadable.push_back(r.id(0));
      continue;
    }
    last.push_back({rewrap, postgres::parameters(r.id(0), r.id(1), current.id(), current.wrap(*plain, location))});
    last.push_back(audit_query(entry_of(actor, r, current.id())));
    ++out.rewrapped;
  }
  settled(co_await work.commit(std::move(last)));
  co_return out;
}

}  // namespace svc::store
