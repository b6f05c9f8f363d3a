#include "svc/store/monitors/check_requests.hpp"

#include "store/monitors/summary_rows.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

namespace svc::store {
namespace {

// A request that is too old counts as closed, even if no statement has closed it yet.
constexpr postgres::statement close_old_request{"request_close_old", R"(
UPDATE check_requests SET closed_at = clock_timestamp()
 WHERE monitor_id = $1 AND location_id = $2 AND closed_at IS NULL
   AND requested_at < clock_timestamp() - $3::bigint * interval '1 s')"};

constexpr postgres::statement ask_check{"request_ask", R"(
INSERT INTO check_requests (id, monitor_id, location_id, shard, kind)
SELECT $3, m.id, $4, m.shard, 'manual'
  FROM monitors m JOIN projects p ON p.id = m.project_id
 WHERE m.project_id = $1 AND m.id = $2 AND m.enabled AND m.deleted_at IS NULL AND m.type <> 'heartbeat'
   AND p.archived_at IS NULL
ON CONFLICT (monitor_id, location_id) WHERE closed_at IS NULL DO UPDATE SET kind = check_requests.kind
RETURNING id)"};

// Reads the properties of the monitor that can forbid a request.
constexpr postgres::statement find_checkable{"request_find_monitor", R"(
SELECT m.name, m.type = 'heartbeat', m.enabled, p.archived_at IS NOT NULL
  FROM monitors m JOIN projects p ON p.id = m.project_id
 WHERE m.project_id = $1 AND m.id = $2 AND m.deleted_at IS NULL)"};

constexpr postgres::statement find_waiting{"request_find_waiting",
                                           "SELECT id, closed_at IS NULL FROM check_requests WHERE id = ANY ($1)"};

constexpr postgres::statement look_at_request{
    "request_look", "SELECT closed_at IS NOT NULL, location_id, result, details FROM check_requests WHERE id = $1"};

constexpr postgres::statement open_requests{"request_open", R"(
WITH old AS (
  UPDATE check_requests SET closed_at = clock_timestamp()
   WHERE id = ANY (ARRAY(SELECT r.id FROM check_requests r
                          WHERE r.shard = ANY ($1::bigint[]) AND r.closed_at IS NULL AND r.location_id = $2
                            AND r.requested_at < clock_timestamp() - $3::bigint * interval '1 s'
                            FOR UPDATE SKIP LOCKED))
)
SELECT r.id, r.monitor_id, r.kind FROM check_requests r
 WHERE r.shard = ANY ($1::bigint[]) AND r.closed_at IS NULL AND r.location_id = $2
   AND r.requested_at >= clock_timestamp() - $3::bigint * interval '1 s'
 ORDER BY r.requested_at LIMIT 500)"};

}  // namespace

task<result<uuid>> check_requests::ask(editor editor, uuid monitor, deadline until) {
  auto work = co_await db_.begin(until);
  std::vector<postgres::query> all{
      {close_old_request, postgres::parameters(monitor, location_, longest_open.count())},
      {ask_check, postgres::parameters(editor.project, monitor, uuid::generate_v7(), location_)},
      {find_checkable, postgres::parameters(editor.project, monitor)}};
  auto const found = settled(co_await work.run(std::move(all)));
  auto const& value = found[2];
  if (value.empty()) co_return errc::not_found;
  if (value.front().boolean(1)) co_return errc::type_not_checkable;
  if (!value.front().boolean(2)) co_return errc::monitor_paused;
  if (value.front().boolean(3)) co_return errc::project_archived;
  // `find_checkable` may see commits that `ask_check` did not see.
  if (found[1].empty()) throw unavailable("the monitor was changed while a check was asked for");
  boost::json::object const notified{{"name", value.front().text(0)}};
  std::vector<postgres::query> last{
      audit_query(editor.entry("monitor.checked", "monitor", monitor, boost::json::serialize(notified)))};
  settled(co_await work.commit(std::move(last)));
  co_return found[1].front().id(0);
}

task<std::vector<uuid>> check_requests::closed(std::vector<uuid> requests, deadline until) {
  auto const found = settled(co_await db_.run(postgres::query{find_waiting, postgres::parameters(requests)}, until));
  for (int i = 0; i < found.size(); ++i) {
    if (found[i].boolean(1)) std::erase(requests, found[i].id(0));
  }
  co_return requests;
}

task<check_requests::state> check_requests::look(uuid request, deadline until) {
  postgres::query ask{look_at_request, postgres::parameters(request)};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  state out;
  // A missing request was closed long ago.
  out.closed = found.empty() || found.front().boolean(0);
  if (found.empty() || found.front().is_null(2)) co_return out;
  auto const row = found.front();
  out.found = listed_result{row.id(1), read_raw(row.bytes(2)), row.maybe_text(3).value_or("")};
  co_return out;
}

task<std::vector<check_request>> check_requests::open_in(std::vector<std::int64_t> shards, deadline until) {
  postgres::query ask{open_requests, postgres::parameters(shards, location_, longest_open.count())};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<check_request> out;
  for (int i = 0; i < found.size(); ++i) {
    auto const row = found[i];
    out.push_back({row.id(0), row.id(1), row.text(2) == "confirm" ? checks::kind::confirm : checks::kind::manual});
  }
  co_return out;
}

}  // namespace svc::store
