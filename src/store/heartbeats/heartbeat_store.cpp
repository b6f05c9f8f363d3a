#include "svc/store/heartbeats/heartbeat_store.hpp"

#include "store/heartbeats/heartbeat_take.hpp"
#include "store/sealing/project_key.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/group_commit.hpp"
#include "store/sql/settled.hpp"
#include "svc/domain/monitoring/heartbeats/heartbeat.hpp"
#include "svc/domain/token.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

namespace svc::store {
namespace {

constexpr postgres::statement find_ping_key{"beat_key_find", R"(
SELECT k.monitor_id, coalesce(m.config ->> 'methods' = 'post', false)
  FROM heartbeat_keys k JOIN monitors m ON m.id = k.monitor_id
 WHERE k.digest = $1 AND (k.ends_at IS NULL OR k.ends_at > statement_timestamp()) AND m.deleted_at IS NULL)"};

// A blind window is merged with the previous one if it starts less than ten minutes after the end of that one. In so
// short a time, work may not have repeated the signals that were lost in the previous window.
constexpr postgres::statement say_listening{"heartbeats_listen", R"(
WITH before AS (
  SELECT heard_at, deaf_from, deaf_to, clock_timestamp() AS now,
         CASE WHEN $2::timestamptz IS NOT NULL THEN least($2::timestamptz, heard_at)
              WHEN clock_timestamp() > heard_at + $1::bigint * interval '1 s' THEN heard_at END AS blind_from
    FROM heartbeat_listening FOR UPDATE
)
UPDATE heartbeat_listening l
   SET heard_at = before.now,
       deaf_from = CASE WHEN before.blind_from IS NULL THEN before.deaf_from
                        WHEN before.blind_from < before.deaf_to + interval '10 min'
                        THEN least(before.deaf_from, before.blind_from)
                        ELSE before.blind_from END,
       deaf_to = CASE WHEN before.blind_from IS NULL THEN before.deaf_to ELSE before.now END
  FROM before
RETURNING l.heard_at, extract(epoch FROM l.heard_at - before.blind_from)::bigint)"};

// The first due time is computed within a second; until then the deadline only asks for that.
constexpr postgres::statement get_heartbeat{"heartbeat_get", R"(
SELECT CASE WHEN m.enabled THEN h.due_at END, CASE WHEN m.enabled AND h.due_at IS NOT NULL THEN h.deadline_at END,
       h.last_beat_at, h.last_duration_ms, jsonb_array_length(h.runs)::bigint
  FROM heartbeats h JOIN monitors m ON m.id = h.monitor_id WHERE m.project_id = $1 AND m.id = $2)"};

constexpr postgres::statement list_pings{"beats_list", R"(
SELECT at, signal, exit_code, run_id, duration_ms, coalesce(body, '')
  FROM heartbeat_beats WHERE monitor_id = $1 ORDER BY number DESC LIMIT $2)"};

constexpr postgres::statement read_ping_key{"beat_key_read", R"(
SELECT k.sealed, p.key_id, p.wrapped, p.master_key_id
  FROM monitors m JOIN heartbeats h ON h.monitor_id = m.id
  LEFT JOIN heartbeat_keys k ON k.monitor_id = m.id AND k.ends_at IS NULL
  LEFT JOIN project_keys p ON p.project_id = m.project_id AND p.key_id = k.key_id
 WHERE m.project_id = $1 AND m.id = $2 AND m.deleted_at IS NULL)"};

constexpr postgres::statement lock_ping_monitor{"beat_key_lock", R"(
SELECT m.version, m.name FROM monitors m JOIN heartbeats h ON h.monitor_id = m.id
 WHERE m.project_id = $1 AND m.id = $2 AND m.deleted_at IS NULL FOR NO KEY UPDATE OF m)"};

constexpr postgres::statement replace_ping_key{"beat_key_replace", R"(
UPDATE heartbeat_keys SET ends_at = clock_timestamp() + $2::bigint * interval '1 s', sealed = NULL, key_id = NULL
 WHERE monitor_id = $1 AND ends_at IS NULL)"};

// A key that ends at once may have leaked, so no earlier one works either. $2 are the seconds for which the old key
// works.
constexpr postgres::statement remove_ping_keys{"beat_keys_remove", R"(
DELETE FROM heartbeat_keys
 WHERE monitor_id = $1 AND (ends_at <= clock_timestamp() OR $2::bigint = 0 AND ends_at IS NOT NULL))"};

// The last so many can still work, so that rotating again and again fills no table, and repeating a request whose
// answer was lost ends nothing.
constexpr postgres::statement remove_surplus_keys{"beat_keys_remove_surplus", R"(
DELETE FROM heartbeat_keys
 WHERE digest IN (SELECT digest FROM heartbeat_keys WHERE monitor_id = $1 AND ends_at IS NOT NULL
                   ORDER BY ends_at DESC, digest OFFSET $2))"};

constexpr postgres::statement insert_ping_key{
    "beat_key_insert", "INSERT INTO heartbeat_keys (digest, monitor_id, sealed, key_id) VALUES ($1, $2, $3, $4)"};

postgres::query insert_query_of(minted_token const& made, project_key const& key, uuid project, uuid monitor) {
  auto const sealed = seal_bytes(key.plain, made.key.reveal(), place_of(project, monitor));
  return {insert_ping_key, postgres::parameters(byte_view(made.digest), monitor, sealed, key.id)};
}

secret_string open_ping_key(master_keys& master, postgres::row r, uuid project, uuid monitor) {
  auto const key = open_data_key(master, project, r.id(1), r.text(3), r.bytes(2));
  auto plain = open_bytes(key, r.bytes(0), place_of(project, monitor));
  if (!plain) throw unavailable("the sealed key of heartbeat " + monitor.to_string() + " does not open");
  return std::move(*plain);
}

kept_ping read_kept_ping(postgres::row r) {
  return {r.time(0),     std::string(r.text(1)), r.maybe_integer(2),
          r.maybe_id(3), r.maybe_integer(4),     std::string(r.text(5))};
}

}  // namespace

struct heartbeat_store::impl {
  explicit impl(postgres::pool& db) : pings(std::make_shared<group_commit<ping_row, bool>>(db, &take_pings)) {}
  std::shared_ptr<group_commit<ping_row, bool>> pings;
};

heartbeat_store::heartbeat_store(postgres::pool& db, master_keys& master)
    : db_(db), master_(master), impl_(std::make_unique<impl>(db)) {}
heartbeat_store::~heartbeat_store() = default;

task<std::optional<ping_key>> heartbeat_store::find(sha256_digest key, deadline until) {
  postgres::query ask{find_ping_key, postgres::parameters(byte_view(key))};
  auto const found = settled(co_await db_.read(std::move(ask), until));
  if (found.empty()) co_return std::nullopt;
  co_return ping_key{found.front().id(0), found.front().boolean(1)};
}

task<bool> heartbeat_store::take(arrived_ping ping, deadline until) {
  try {
    if (!ping.body.empty()) ping.body = co_await kept_body(db_, master_, ping, until);
  } catch (unavailable const&) {
    // A secret does not open: the ping counts all the same, and what may hold the secret is not kept.
    ping.body.clear();
  }
  auto const kind = ping.signal.kind;
  bool const taken = co_await impl_->pings->commit({std::move(ping), decided_}, until);
  if (taken && on_news_) on_news_(kind);
  co_return taken;
}

task<std::int64_t> heartbeat_store::evaluate(deadline until) {
  return evaluate_late(db_, most_evaluated, decided_, until);
}

task<listening_record> heartbeat_store::listen(std::optional<timestamp> unheard_since, deadline until) {
  postgres::query say{say_listening, postgres::parameters(std::int64_t(listening_age.count()), unheard_since)};
  auto const done = settled(co_await db_.run(std::move(say), until));
  listening_record out{.heard_at = done.front().time(0)};
  if (auto const seconds = done.front().maybe_integer(1)) out.blind_window = std::chrono::seconds(*seconds);
  co_return out;
}

task<result<heartbeat_view>> heartbeat_store::get(uuid project, uuid monitor, deadline until) {
  postgres::query ask{get_heartbeat, postgres::parameters(project, monitor)};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  if (found.empty()) co_return errc::not_found;
  auto const r = found.front();
  co_return heartbeat_view{r.maybe_time(0), r.maybe_time(1), r.maybe_time(2), r.maybe_integer(3), r.integer(4)};
}

task<std::vector<kept_ping>> heartbeat_store::pings(uuid monitor, std::int64_t most, deadline until) {
  auto const found =
      settled(co_await db_.run(postgres::query{list_pings, postgres::parameters(monitor, most)}, until));
  std::vector<kept_ping> out;
  for (int i = 0; i < found.size(); ++i) out.push_back(read_kept_ping(found[i]));
  co_return out;
}

task<result<secret_string>> heartbeat_store::key_of(uuid project, uuid monitor, deadline until) {
  postgres::query const ask{read_ping_key, postgres::parameters(project, monitor)};
  auto found = settled(co_await db_.run(ask, until));
  if (found.empty()) co_return errc::not_found;
  if (!found.front().is_null(0)) co_return open_ping_key(master_, found.front(), project, monitor);
  auto work = co_await db_.begin(until);
  // Locked, so that another request that makes it is waited for, and its key read.
  std::vector<postgres::query> again{{lock_ping_monitor, postgres::parameters(project, monitor)}, ask};
  found = settled(co_await work.run(std::move(again)))[1];
  if (found.empty()) co_return errc::not_found;
  if (!found.front().is_null(0)) co_return open_ping_key(master_, found.front(), project, monitor);
  auto const key = co_await data_key_of(work, master_, project);
  auto made = mint_ping_key();
  std::vector<postgres::query> last{insert_query_of(made, key, project, monitor)};
  settled(co_await work.commit(std::move(last)));
  co_return std::move(made.key);
}

task<result<secret_string>> heartbeat_store::rotate_key(editor editor, uuid monitor, std::chrono::seconds old_works,
                                                        deadline until) {
  auto work = co_await db_.begin(until);
  postgres::query lock{lock_ping_monitor, postgres::parameters(editor.project, monitor)};
  auto const found = settled(co_await work.run(std::move(lock)));
  if (found.empty()) co_return errc::not_found;
  if (!editor.expects(found.front().integer(0))) co_return errc::precondition_failed;
  auto const key = co_await data_key_of(work, master_, editor.project);
  auto made = mint_ping_key();
  boost::json::object const notified{{"name", found.front().text(1)}, {"oldKeyWorksSeconds", old_works.count()}};
  std::vector<postgres::query> last{
      {replace_ping_key, postgres::parameters(monitor, std::int64_t(old_works.count()))},
      {remove_ping_keys, postgres::parameters(monitor, std::int64_t(old_works.count()))},
      {remove_surplus_keys, postgres::parameters(monitor, most_former_keys)},
      insert_query_of(made, key, editor.project, monitor),
      audit_query(editor.entry("monitor.key_rotated", "monitor", monitor, boost::json::serialize(notified)))};
  settled(co_await work.commit(std::move(last)));
  co_return std::move(made.key);
}

}  // namespace svc::store
