// Tags of monitors.
#include "store/monitors/monitor_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/tag_sql.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/monitors/monitor_store.hpp"

#include <boost/json.hpp>

namespace svc::store {
namespace {

constexpr postgres::statement lock_wearer{"monitor_lock_wearer", R"(
SELECT version, name FROM monitors WHERE project_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE)"};

constexpr postgres::statement take_off{"monitor_clear_tags", "DELETE FROM monitor_tags WHERE monitor_id = $1"};

constexpr postgres::statement put_on{"monitor_insert_tags", R"(
INSERT INTO monitor_tags (project_id, monitor_id, tag_id) SELECT $1, $2, unnest($3::uuid[]))"};

constexpr postgres::statement touch_wearer{"monitor_touch", R"(
UPDATE monitors SET version = version + 1, updated_at = clock_timestamp(), changed_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

// Other tags may mean other maintenance windows. A paused monitor has no time of a decision, and gets none.
constexpr postgres::statement look_at_wearer{"monitor_look_at_wearer", R"(
UPDATE monitor_status s SET look_at = clock_timestamp() FROM monitors m
 WHERE m.id = s.monitor_id AND s.monitor_id = $1 AND s.verdict <> 'up' AND m.enabled)"};

}  // namespace

task<result<monitor>> monitor_store::set_tags(editor editor, uuid id, std::vector<uuid> tags, deadline until) {
  auto work = co_await db_.begin(until);
  // A write to a window locks the project, so that no monitor becomes covered unseen.
  std::vector<postgres::query> first{lock_project_query(editor.project),
                                     {lock_wearer, postgres::parameters(editor.project, id)},
                                     {find_tags, postgres::parameters(editor.project, tags)}};
  auto const found = settled(co_await work.run(std::move(first)));
  if (found[1].empty()) co_return errc::not_found;
  if (!editor.expects(found[1].front().integer(0))) co_return errc::precondition_failed;
  if (auto ok = check_tags(tags, found[2], "The monitor's tags cannot be used."); !ok) co_return ok.error();
  boost::json::object const details{{"name", found[1].front().text(1)}, {"tags", ids_of_tags(tags)}};
  std::vector<postgres::query> last{
      {take_off, postgres::parameters(id)},
      {put_on, postgres::parameters(editor.project, id, tags)},
      {touch_wearer, postgres::parameters(editor.project, id)},
      {look_at_wearer, postgres::parameters(id)},
      audit_query(editor.entry("monitor.updated", "monitor", id, boost::json::serialize(details))),
      {get_monitor, postgres::parameters(editor.project, id)}};
  auto const done = settled(co_await work.commit(std::move(last)));
  co_return read_monitor_row(done.back().front());
}

}  // namespace svc::store
