#include "store/monitors/interrupt.hpp"
#include "store/monitors/monitor_parents.hpp"
#include "store/monitors/monitor_sql.hpp"
#include "store/monitors/verdict_rows.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/provider_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/monitors/monitor_secrets.hpp"
#include "svc/store/monitors/monitor_store.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace svc::store {
namespace {

constexpr postgres::statement insert_monitor{"monitor_insert", R"(
INSERT INTO monitors (id, project_id, name, description, type, target, frequency_minutes, frequency_seconds, enabled,
                      config, attempts_seconds, alert_config, muted_until, created_by, sealed, key_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16))"};

// A monitor that is never checked gets no results, so a look follows after three intervals.
constexpr postgres::statement insert_status{"monitor_status_insert", R"(
INSERT INTO monitor_status (monitor_id, look_at)
SELECT m.id, CASE WHEN m.enabled THEN clock_timestamp() + m.interval_seconds * interval '3 s' END
  FROM monitors m WHERE m.id = $1)"};

constexpr postgres::statement insert_results{"monitor_votes_insert", R"(
INSERT INTO check_states (monitor_id, location_id, check_version) VALUES ($1, $2, 1))"};

// The instance that takes the heartbeat within the next second computes its first due time. The deadline lies far
// enough in the past for that (`listening_age`). The key is created when a user first asks for it.
constexpr postgres::statement insert_heartbeat{"heartbeat_insert", R"(
INSERT INTO heartbeats (monitor_id, deadline_at)
SELECT m.id, CASE WHEN m.enabled THEN clock_timestamp() - interval '10 s' END FROM monitors m
 WHERE m.id = $1 AND m.type = 'heartbeat')"};

constexpr postgres::statement update_monitor{"monitor_update", R"(
UPDATE monitors
   SET name = $3, description = $4, target = $5, frequency_minutes = $6, frequency_seconds = $7, enabled = $8,
       config = $9, attempts_seconds = $10, alert_config = $11, muted_until = $12, check_version = $13, sealed = $14,
       key_id = $15, version = version + 1, updated_at = clock_timestamp(), changed_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

constexpr postgres::statement keep_results{"monitor_votes_keep", R"(
UPDATE check_states SET revision = revision + 1, check_version = $2 WHERE monitor_id = $1)"};

// A mute that starts or ends, another interval or other receivers take effect at once.
constexpr postgres::statement look_soon{"monitor_look_soon", R"(
UPDATE monitor_status SET look_at = clock_timestamp() WHERE monitor_id = $1)"};

constexpr postgres::statement bury_monitor{"monitor_bury", R"(
UPDATE monitors SET deleted_at = clock_timestamp(), check_version = check_version + 1, version = version + 1,
       updated_at = clock_timestamp(), changed_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

// $1 the project, $2 and $3 the number and the bytes of deleted monitors that are kept. The newest stay. At most $4
// others are removed with each deletion, which is more than it adds. Sizes are those on disk, so that no
// configuration is read for them. A monitor with more than 1 000 outages is removed once enough of its outages are
// gone; each deletion removes a thousand.
constexpr postgres::statement bound_deleted{"monitors_bound_deleted", R"(
WITH surplus AS MATERIALIZED (
  SELECT m.id FROM monitors m
   WHERE m.deleted_at IS NOT NULL AND m.id = ANY (ARRAY(
     (SELECT id FROM monitors WHERE project_id = $1 AND deleted_at IS NOT NULL
       ORDER BY deleted_at DESC, id DESC OFFSET $2 LIMIT $4)
     UNION ALL
     (SELECT id FROM (
        SELECT id, row_number() OVER newest AS nth,
               sum(pg_column_size(config) + coalesce(pg_column_size(sealed), 0)) OVER newest AS bytes
          FROM (SELECT id, deleted_at, config, sealed FROM monitors WHERE project_id = $1 AND deleted_at IS NOT NULL
                 ORDER BY deleted_at DESC, id DESC LIMIT $2) kept
        WINDOW newest AS (ORDER BY deleted_at DESC, id DESC)) sized
       WHERE bytes > $3 AND nth > 1 ORDER BY nth DESC LIMIT $4)))
   ORDER BY m.id FOR UPDATE SKIP LOCKED
), outages_gone AS (
  DELETE FROM outages WHERE id = ANY (ARRAY(
    SELECT o.id FROM surplus s CROSS JOIN LATERAL (SELECT id FROM outages WHERE monitor_id = s.id LIMIT 1000) o))
)
DELETE FROM monitors WHERE id = ANY (ARRAY(
  SELECT s.id FROM surplus s
   WHERE (SELECT count(*) FROM (SELECT FROM outages WHERE monitor_id = s.id LIMIT 1001) some_outages) <= 1000)))"};
constexpr std::int64_t surplus_at_once = 20;

// A monitor has at most a thousand beats.
constexpr postgres::statement delete_pings{"monitor_beats_delete",
                                           "DELETE FROM heartbeat_beats WHERE monitor_id = $1"};

constexpr postgres::statement restore_monitor{"monitor_restore", R"(
UPDATE monitors SET deleted_at = NULL, enabled = false, version = version + 1, updated_at = clock_timestamp(),
       changed_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

constexpr postgres::statement read_sealed{"monitor_sealed", R"(
SELECT config, sealed, key_id FROM monitors WHERE project_id = $1 AND id = $2)"};

stored_config read_stored(postgres::row r) {
  stored_config out{.shown = std::string(r.text(0))};
  if (r.is_null(1)) return out;
  auto const sealed = r.bytes(1);
  out.sealed.emplace(sealed.begin(), sealed.end());
  out.key = r.id(2);
  return out;
}

constexpr auto unusable_alerts = "The monitor's alert configuration cannot be used.";
constexpr std::string_view verb_of_edit = "updated";

growth growth_of_monitors(uuid project, quota_table const& quotas, amount more) {
  amount const most{static_cast<std::int64_t>(quotas.monitors), static_cast<std::int64_t>(quotas.monitor_bytes)};
  return {project, counted_monitors, most, more};
}

std::int64_t bytes_of(std::string const& config) {
  return static_cast<std::int64_t>(config.size());
}

postgres::query audited_monitor(editor const& editor, std::string const& verb, uuid id, std::string_view name) {
  return audit_query(
      editor.entry("monitor." + verb, "monitor", id, boost::json::serialize(boost::json::object{{"name", name}})));
}

std::vector<postgres::query> lock_and_read(uuid project, uuid id) {
  auto out = lock_and_read_monitors({id});
  out.push_back({read_sealed, postgres::parameters(project, id)});
  out.push_back({get_monitor, postgres::parameters(project, id)});
  return out;
}

/// Returns the monitor to change. Errors: not_found (also for a deleted monitor), precondition_failed.
result<monitor> live_monitor(editor const& editor, postgres::rows const& found) {
  if (found.empty()) return errc::not_found;
  auto out = read_monitor_row(found.front());
  if (out.deleted_at) return errc::not_found;
  if (!editor.expects(out.version)) return errc::precondition_failed;
  return out;
}

alerting::end_reason end_by(monitor_settings const& before, monitor_settings const& after) {
  if (before.enabled && !after.enabled) return alerting::end_reason::paused;
  return after.enabled && !before.enabled ? alerting::end_reason::resumed : alerting::end_reason::edited;
}

postgres::query update_query(uuid project, uuid id, monitor_settings const& set, stored_config const& config,
                             std::int64_t check_version) {
  return {update_monitor,
          postgres::parameters(project, id, set.name, set.description, set.target, set.frequency_minutes,
                               set.frequency_seconds, set.enabled, config.shown, set.attempts_seconds,
                               set.alert_config, set.muted_until, check_version, config.sealed, config.key)};
}

/// Returns the JSON as the database spells it, so that it compares equal to the stored text.
std::string canonical(std::string_view json) {
  return boost::json::serialize(boost::json::parse(json));
}

/// Returns the writes of an edit, without its audit row. `config` is the stored form of the config in `wanted`.
std::vector<postgres::query> writes_of_edit(locked_monitors const& locked, uuid project, monitor const& current,
                                            monitor_settings const& wanted, stored_config const& config,
                                            bool other_secrets) {
  auto before = current.set;
  before.config = canonical(before.config);
  auto compared = wanted;
  compared.config = canonical(compared.config);
  bool const otherwise = other_secrets || compared.checks_otherwise(before);
  auto const check_version = current.check_version + (otherwise ? 1 : 0);
  std::vector<postgres::query> out{update_query(project, current.id, wanted, config, check_version)};
  auto value = locked.all.front();
  value.state.interval = wanted.interval();
  if (compared.begins_anew(before)) {
    interrupt_monitor(value, end_by(before, compared), locked.now, wanted.enabled, check_version, out);
    return out;
  }
  if (otherwise || wanted.alert_config != current.set.alert_config) {
    out.push_back({keep_results, postgres::parameters(current.id, check_version)});
  }
  if (otherwise) out.push_back(plan_heartbeat_soon(current.id));
  if (wanted.enabled) out.push_back({look_soon, postgres::parameters(current.id)});
  return out;
}

/// The interruption of a monitor ends its outage, which no audit row names.
void note_outage(editor const& editor, locked_monitors const& locked) {
  auto const& monitor = locked.all.front();
  if (!editor.actor.audited || !monitor.state.outage) return;
  editor.actor.audited->push_back({editor.project, "outage", monitor.state.outage->id});
  editor.actor.audited->push_back({editor.project, "alert", std::nullopt});
}

}  // namespace

task<result<monitor>> monitor_store::create(editor editor, uuid owner, monitor_settings wanted, deadline until) {
  uuid const id = uuid::generate_v7();
  auto work = co_await db_.begin(until);
  auto const more = growth_of_monitors(editor.project, quotas_, {1, bytes_of(wanted.config)});
  std::vector<postgres::query> first{lock_project_query(editor.project),
                                     more.look(),
                                     {find_providers, postgres::parameters(editor.project, wanted.alert_providers)}};
  look_for_parents(editor.project, id, wanted.depends_on, first);
  auto const found = settled(co_await work.run(std::move(first)));
  if (found[0].empty()) co_return errc::project_archived;
  if (auto ok = more.fits(found[1]); !ok) co_return ok.error();
  if (auto ok = check_providers(wanted.alert_providers, found[2], unusable_alerts); !ok) co_return ok.error();
  if (auto ok = check_parents(wanted.depends_on, found, 3); !ok) co_return ok.error();
  auto const config = co_await seal_config(work, master_, editor.project, id, wanted.config, {}, false);
  if (!config) co_return config.error();
  std::vector<postgres::query> last{
      {insert_monitor,
       postgres::parameters(id, editor.project, wanted.name, wanted.description, wanted.type, wanted.target,
                            wanted.frequency_minutes, wanted.frequency_seconds, wanted.enabled, config->shown,
                            wanted.attempts_seconds, wanted.alert_config, wanted.muted_until, owner, config->sealed,
                            config->key)},
      {insert_status, postgres::parameters(id)},
      {insert_results, postgres::parameters(id, own_location)},
      {insert_heartbeat, postgres::parameters(id)}};
  if (!wanted.depends_on.empty()) replace_parents(editor.project, id, wanted.depends_on, last);
  last.push_back(audited_monitor(editor, "created", id, wanted.name));
  last.push_back(more.assertion());
  last.push_back({get_monitor, postgres::parameters(editor.project, id)});
  auto const done = co_await work.commit(std::move(last));
  if (!done) co_return more.refusal(done.error());
  co_return read_monitor_row(done.value().back().front());
}

task<result<monitor>> monitor_store::update(editor editor, uuid id, monitor_edit edit, std::string verb,
                                            deadline until, monitor_preparation prepare) {
  if (!prepare) co_return co_await edit_now(std::move(editor), id, std::move(edit), std::move(verb), until);
  for (int left = most_preparations;; --left) {
    auto const seen = co_await get(editor.project, id, until);
    if (!seen) co_return seen.error();
    prepare(*seen);
    auto done = co_await edit_now(editor, id, edit, verb, until);
    if (done || done.error().code != errc::overloaded || left == 1) co_return done;
  }
}

/// Only the edit itself tells whether it needs the project's lock, which must come before that of the monitor.
task<result<monitor>> monitor_store::edit_now(editor editor, uuid id, monitor_edit edit, std::string verb,
                                              deadline until) {
  if (auto done = co_await edit_locked(editor, id, edit, verb, dependency_lock::absent, until))
    co_return std::move(*done);
  auto done =
      co_await edit_locked(std::move(editor), id, std::move(edit), std::move(verb), dependency_lock::held, until);
  co_return std::move(done).value();
}

task<std::optional<result<monitor>>> monitor_store::edit_locked(editor editor, uuid id, monitor_edit edit,
                                                                std::string verb, dependency_lock lock,
                                                                deadline until) {
  auto work = co_await db_.begin(until);
  if (lock == dependency_lock::held) settled(co_await work.run(lock_dependencies_query(editor.project)));
  auto const found = settled(co_await work.run(lock_and_read(editor.project, id)));
  auto const read = live_monitor(editor, found.back());
  if (!read) co_return read.error();
  auto const& current = read.value();
  auto wanted = edit(current);
  if (!wanted) co_return wanted.error();
  bool const moves = wanted->depends_on != current.set.depends_on;
  if (moves && lock == dependency_lock::absent) co_return std::nullopt;
  if (verb != verb_of_edit && wanted->enabled == current.set.enabled) co_return current;
  auto const before = read_stored(found[found.size() - 2].front());
  bool const moved = is_another_origin(current.set.target.value_or(""), wanted->target.value_or(""));
  auto const config = co_await seal_config(work, master_, editor.project, id, wanted->config, before, moved);
  if (!config) co_return config.error();
  wanted->config = config->shown;
  auto const more =
      growth_of_monitors(editor.project, quotas_,
                         {.bytes = bytes_of(canonical(wanted->config)) - bytes_of(canonical(current.set.config))});
  // Providers that the monitor already names are not checked again, because one of them may be in deletion.
  auto const named =
      wanted->alert_providers == current.set.alert_providers ? std::vector<uuid>{} : wanted->alert_providers;
  std::vector<postgres::query> ask{{find_providers, postgres::parameters(editor.project, named)}, more.look()};
  if (moves) look_for_parents(editor.project, id, wanted->depends_on, ask);
  auto const known = settled(co_await work.run(std::move(ask)));
  if (auto ok = check_providers(named, known[0], unusable_alerts); !ok) co_return ok.error();
  if (auto ok = more.fits(known[1]); !ok) co_return ok.error();
  if (moves) {
    if (auto ok = check_parents(wanted->depends_on, known, 2); !ok) co_return ok.error();
  }
  auto const locked = read_locked(found);
  note_outage(editor, locked);
  auto last = writes_of_edit(locked, editor.project, current, *wanted, *config, config->sealed != before.sealed);
  if (moves) replace_parents(editor.project, id, wanted->depends_on, last);
  last.push_back(audited_monitor(editor, verb, id, wanted->name));
  last.push_back(more.assertion());
  last.push_back({get_monitor, postgres::parameters(editor.project, id)});
  auto const done = co_await work.commit(std::move(last));
  if (!done) co_return more.refusal(done.error());
  co_return read_monitor_row(done.value().back().front());
}

task<result<>> monitor_store::remove(editor editor, uuid id, deadline until) {
  auto work = co_await db_.begin(until);
  auto const found = settled(co_await work.run(lock_and_read(editor.project, id)));
  auto const read = live_monitor(editor, found.back());
  if (!read) co_return read.error();
  auto const& current = read.value();
  auto const locked = read_locked(found);
  note_outage(editor, locked);
  std::vector<postgres::query> last{{bury_monitor, postgres::parameters(editor.project, id)},
                                    {delete_pings, postgres::parameters(id)}};
  interrupt_monitor(locked.all.front(), alerting::end_reason::deleted, locked.now, false, current.check_version + 1,
                    last);
  last.push_back(audited_monitor(editor, "deleted", id, current.set.name));
  last.push_back(
      {bound_deleted, postgres::parameters(editor.project, most_deleted, most_deleted_bytes, surplus_at_once)});
  settled(co_await work.commit(std::move(last)));
  co_return result<>();
}

task<result<monitor>> monitor_store::restore(editor editor, uuid id, deadline until) {
  auto work = co_await db_.begin(until);
  auto more = growth_of_monitors(editor.project, quotas_, {.count = 1});
  auto first = lock_and_read(editor.project, id);
  first.push_back(more.look());
  auto const found = settled(co_await work.run(std::move(first)));
  auto const& row = found[found.size() - 2];
  if (row.empty()) co_return errc::not_found;
  auto const current = read_monitor_row(row.front());
  if (!current.deleted_at) co_return errc::monitor_not_deleted;
  if (!editor.expects(current.version)) co_return errc::precondition_failed;
  more.more.bytes = bytes_of(current.set.config);
  if (auto ok = more.fits(found.back()); !ok) co_return ok.error();
  std::vector<postgres::query> last{{restore_monitor, postgres::parameters(editor.project, id)},
                                    audited_monitor(editor, "restored", id, current.set.name),
                                    more.assertion(),
                                    {get_monitor, postgres::parameters(editor.project, id)}};
  auto const done = co_await work.commit(std::move(last));
  if (!done) co_return more.refusal(done.error());
  co_return read_monitor_row(done.value().back().front());
}

}  // namespace svc::store
