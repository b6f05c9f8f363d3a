#include "svc/store/key_rotation.hpp"

#include "store/sql/audit_sql.hpp"
#include "store/sql/project_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

namespace svc::store {

namespace {

constexpr postgres::statement count_left{"rotation_left",
                                         "SELECT count(*) FROM project_keys WHERE master_key_id <> $1"};

// NO KEY: nobody who seals something by the data key waits for this. Another rotation's rows are left to it.
constexpr postgres::statement take_batch{"rotation_take", R"(
SELECT k.project_id, k.key_id, k.master_key_id, k.wrapped, p.organization_id
  FROM project_keys k JOIN projects p ON p.id = k.project_id
 WHERE k.master_key_id <> $1 AND k.project_id > $2
 ORDER BY k.project_id LIMIT 50 FOR NO KEY UPDATE OF k SKIP LOCKED)"};
constexpr int batch_size = 50;

constexpr postgres::statement rewrap{"rotation_rewrap", R"(
UPDATE project_keys SET master_key_id = $3, wrapped = $4 WHERE project_id = $1 AND key_id = $2)"};

audit_entry entry_of(audit_actor const& by, postgres::row r, std::string_view to) {
  boost::json::object const details{{"from", r.text(2)}, {"to", to}};
  return {.actor = by,
          .organization = r.id(4),
          .project = r.id(0),
          .action = "project_key.rewrapped",
          .resource = "project_key",
          .resource_id = r.id(1),
          .details = boost::json::serialize(details)};
}

}  // namespace

task<std::int64_t> key_rotation::left(deadline until) {
  postgres::query ask{count_left, postgres::parameters(master_.current().id())};
  co_return settled(co_await db_.run(std::move(ask), until)).front().integer(0);
}

task<key_rotation::step> key_rotation::next(audit_actor by, deadline until) {
  sealer const current = master_.current();
  postgres::unit_of_work work = co_await db_.begin(until);
  postgres::query ask{take_batch, postgres::parameters(current.id(), behind_)};
  postgres::rows const found = settled(co_await work.run(std::move(ask)));
  step out{.last = found.size() < batch_size};
  std::vector<postgres::query> last;
  for (int i = 0; i < found.size(); ++i) {
    postgres::row const r = found[i];
    behind_ = r.id(0);
    std::string const place = place_of(r.id(0), r.id(1));
    auto const plain = master_.unwrap(r.text(2), r.bytes(3), place);
    if (!plain) {
      out.unreadable.push_back(r.id(0));
      continue;
    }
    last.push_back({rewrap, postgres::parameters(r.id(0), r.id(1), current.id(), current.wrap(*plain, place))});
    last.push_back(audit_query(entry_of(by, r, current.id())));
    ++out.rewrapped;
  }
  settled(co_await work.commit(std::move(last)));
  co_return out;
}

}  // namespace svc::store
