#include "svc/store/check_requests.hpp"

#include "store/monitors/summary_rows.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

namespace svc::store {
namespace {

// One that is too old is open no more, though nobody has closed it yet.
constexpr postgres::statement close_old_request{"request_close_old", R"(
UPDATE check_requests SET closed_at = clock_timestamp()
 WHERE monitor_id = $1 AND location_id = $2 AND closed_at IS NULL
   AND requested_at < clock_timestamp() - $3::bigint * interval '1 s')"};

constexpr postgres::statement ask_check{"request_ask", R"(
INSERT INTO check_requests (id, monitor_id, location_id, shard, kind)
SELECT $3, m.id, $4, m.shard, $5
  FROM monitors m JOIN projects p ON p.id = m.project_id
 WHERE m.project_id = $1 AND m.id = $2 AND m.enabled AND m.deleted_at IS NULL AND m.type <> 'heartbeat'
   AND p.archived_at IS NULL
ON CONFLICT (monitor_id, location_id) WHERE closed_at IS NULL DO UPDATE SET kind = check_requests.kind
RETURNING id)"};

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

std::string_view word_of(checks::kind asked_by) {
  return asked_by == checks::kind::confirm ? "confirm" : "manual";
}

}  // namespace

task<std::optional<uuid>> check_requests::ask(uuid project, uuid monitor, checks::kind asked_by, deadline until) {
  std::vector<postgres::query> both{
      {close_old_request, postgres::parameters(monitor, location_, longest_open.count())},
      {ask_check, postgres::parameters(project, monitor, uuid::generate_v7(), location_, word_of(asked_by))}};
  auto const found = settled(co_await db_.run(std::move(both), until))[1];
  co_return found.empty() ? std::nullopt : std::optional(found.front().id(0));
}

task<check_requests::state> check_requests::look(uuid request, deadline until) {
  postgres::query ask{look_at_request, postgres::parameters(request)};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  state out;
  // One that is gone was closed long ago.
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
