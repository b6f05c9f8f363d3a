#include "svc/store/delivery/provider_store.hpp"

#include "store/sealing/masked_secrets.hpp"
#include "store/sealing/project_key.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/core/bytes.hpp"
#include "svc/domain/notification_provider.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/rows.hpp"

#include <boost/json.hpp>
#include <boost/json/object.hpp>

namespace svc::store {

namespace {

// The columns that `read_provider_row` reads, in its order.
constexpr auto provider_columns =
    sql(" p.id, p.name, p.type, p.enabled, p.config, p.last_used_at, p.version, p.created_at, p.updated_at,"
        " p.group_seconds, p.rate_per_minute, p.health, p.last_error_at, p.last_error_reason, p.last_error_status ");
constexpr auto get_provider_sql =
    sql("SELECT", provider_columns, "FROM notification_providers p WHERE p.project_id = $1 AND p.id = $2");
constexpr postgres::statement get_provider{"provider_get", get_provider_sql};

// $2 limit + 1, $3 offset, $4 and $5 the key to start after.
constexpr auto list_providers_sql = paged_sql(
    "notification_providers WHERE project_id = $1::uuid",
    "estimated_rows('SELECT FROM notification_providers WHERE project_id = ' || quote_literal($1))", "",
    sql(provider_columns, "FROM notification_providers p WHERE p.project_id = $1",
        rows_before("p.created_at, p.id", "$4", "$5"), " ORDER BY p.created_at DESC, p.id DESC LIMIT $2 OFFSET $3"));
constexpr postgres::statement list_providers{"provider_list", list_providers_sql};

constexpr postgres::statement reveal_provider{"provider_reveal", R"(
SELECT p.config, p.sealed, k.key_id, k.wrapped, p.type, k.master_key_id,
       coalesce(p.former_secret_until > clock_timestamp(), false)
  FROM notification_providers p LEFT JOIN project_keys k ON k.project_id = p.project_id AND k.key_id = p.key_id
 WHERE p.project_id = $1 AND p.id = $2)"};

constexpr postgres::statement lock_to_remove{"provider_lock", R"(
SELECT version, name, type FROM notification_providers WHERE project_id = $1 AND id = $2 FOR UPDATE)"};

constexpr postgres::statement delete_provider{"provider_delete", R"(
DELETE FROM notification_providers WHERE project_id = $1 AND id = $2)"};

// In the order in which decisions lock monitors.
constexpr postgres::statement lock_notified_monitors{"provider_lock_monitors", R"(
SELECT FROM monitors WHERE project_id = $1 AND alert_config -> 'notificationProviders' ? $2::text
 ORDER BY id FOR NO KEY UPDATE)"};
constexpr postgres::statement detach_from_monitors{"provider_detach", R"(
UPDATE monitors SET version = version + 1, updated_at = clock_timestamp(), alert_config =
       jsonb_set(alert_config, '{notificationProviders}', (alert_config -> 'notificationProviders') - $2::text)
 WHERE project_id = $1 AND alert_config -> 'notificationProviders' ? $2::text)"};

constexpr postgres::statement insert_provider{"provider_insert", R"(
INSERT INTO notification_providers (id, project_id, name, type, enabled, config, sealed, key_id, group_seconds,
                                    rate_per_minute)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::bigint, $10::bigint))"};

constexpr postgres::statement lock_provider{"provider_lock_to_change", R"(
SELECT sealed, coalesce(former_secret_until > clock_timestamp(), false)
  FROM notification_providers WHERE project_id = $1 AND id = $2 FOR UPDATE)"};

// $11: what becomes of the former signing secret: begins, stays, ends.
constexpr postgres::statement update_provider{"provider_update", R"(
UPDATE notification_providers SET name = $3, type = $4, enabled = $5, config = $6, sealed = $7, key_id = $8,
       group_seconds = $9::bigint, rate_per_minute = $10::bigint,
       former_secret_until = CASE $11 WHEN 'begins' THEN clock_timestamp() + interval '24 hours'
                                      WHEN 'stays' THEN former_secret_until END,
       version = version + 1, updated_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

constexpr postgres::statement update_plain{"provider_update_plain", R"(
UPDATE notification_providers SET name = $3, enabled = $4, group_seconds = $5::bigint, rate_per_minute = $6::bigint,
       version = version + 1, updated_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

notification_provider read_provider_row(postgres::row r, int first = 0) {
  notification_provider made;
  made.id = r.id(first);
  made.name = r.text(first + 1);
  made.type = r.text(first + 2);
  made.enabled = r.boolean(first + 3);
  made.config = r.text(first + 4);
  made.last_used_at = r.maybe_time(first + 5);
  made.version = r.integer(first + 6);
  made.created_at = r.time(first + 7);
  made.updated_at = r.time(first + 8);
  made.group_seconds = r.maybe_integer(first + 9);
  made.rate_per_minute = r.maybe_integer(first + 10);
  made.health = r.text(first + 11);
  if (!r.is_null(first + 12))
    made.last_error = {r.time(first + 12), r.maybe_text(first + 13).value_or(""), r.maybe_integer(first + 14)};
  return made;
}

boost::json::object read_object(std::string_view text) {
  return boost::json::parse(text).as_object();
}

postgres::query audited(editor const& editor, std::string_view verb, uuid id, provider_settings const& set) {
  boost::json::object const details{{"name", set.name}, {"type", set.type}};
  return audit_query(editor.entry("notification_provider." + std::string(verb), "notification_provider", id,
                                  boost::json::serialize(details)));
}

/// Writes the change and commits; returns the provider as it is then.
task<notification_provider> finish(postgres::unit_of_work& work, editor editor, std::string_view verb, uuid id,
                                   std::vector<postgres::query> changes, provider_settings set) {
  postgres::rows const now = co_await commit_change(work, std::move(changes), audited(editor, verb, id, set),
                                                    {get_provider, postgres::parameters(editor.project, id)});
  co_return read_provider_row(now.front());
}

std::string_view fate_of_former(boost::json::object const& before, boost::json::object const& now) {
  auto const* const former = now.if_contains(former_signing_secret);
  if (former == nullptr) return "ends";
  auto const* const stood = before.if_contains(former_signing_secret);
  return stood != nullptr && *stood == *former ? "stays" : "begins";
}

/// The values of the columns `sealed` and `key_id`.
struct sealed_columns {
  std::optional<byte_vector> sealed{};
  std::optional<uuid> key{};
};

}  // namespace

task<page<notification_provider>> provider_store::list(uuid project, page_request wanted, deadline until) {
  postgres::query ask{list_providers, postgres::parameters(project, wanted.limit + 1, wanted.offset(),
                                                           wanted.after_time(), wanted.after_id())};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_page<notification_provider>(found, wanted, 2, read_provider_row, created_key<notification_provider>);
}

task<result<notification_provider>> provider_store::get(uuid project, uuid id, deadline until) {
  return read_one<notification_provider>(db_.run({get_provider, postgres::parameters(project, id)}, until),
                                         read_provider_row);
}

task<result<revealed_config>> provider_store::reveal(uuid project, uuid id, deadline until) {
  postgres::query ask{reveal_provider, postgres::parameters(project, id)};
  postgres::rows const done = settled(co_await db_.run(std::move(ask), until));
  if (done.empty()) co_return errc::not_found;
  postgres::row const r = done.front();
  if (r.is_null(1)) co_return revealed_config{secret_string(std::string(r.text(0)))};
  split_config whole{.shown = boost::json::parse(r.text(0)).as_object(), .secrets = {}};
  secret_bytes const key = open_data_key(master_, project, r.id(2), r.text(5), r.bytes(3));
  whole.secrets = open_secrets(key, r.bytes(1), project, id, "provider");
  revealed_config out;
  if (auto const* const former = whole.secrets.if_contains(former_signing_secret); former != nullptr && r.boolean(6))
    out.former_signing_secret = secret_string(std::string(former->as_string()));
  out.config = secret_string(boost::json::serialize(put_secrets(r.text(4), std::move(whole))));
  co_return out;
}

task<result<>> provider_store::remove(editor editor, uuid id, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  postgres::query lock{lock_to_remove, postgres::parameters(editor.project, id)};
  postgres::rows const begun = settled(co_await work.run(std::move(lock)));
  if (begun.empty()) co_return errc::not_found;
  postgres::row const current = begun.front();
  if (!editor.expects(current.integer(0))) co_return errc::precondition_failed;
  boost::json::object const details{{"name", current.text(1)}, {"type", current.text(2)}};
  auto const notified = postgres::parameters(editor.project, id.to_string());
  std::vector<postgres::query> last{{lock_notified_monitors, notified},
                                    {detach_from_monitors, notified},
                                    {delete_provider, postgres::parameters(editor.project, id)},
                                    audit_query(editor.entry("notification_provider.deleted", "notification_provider",
                                                             id, boost::json::serialize(details)))};
  settled(co_await work.commit(std::move(last)));
  co_return result<>();
}

task<result<notification_provider>> provider_store::create(editor editor, provider_settings wanted, deadline until) {
  uuid const id = uuid::generate_v7();
  result<split_config> const split = take_secrets(wanted.type, read_object(wanted.config), {});
  if (!split) co_return split.error();
  postgres::unit_of_work work = co_await db_.begin(until);
  growth const more{
      editor.project, counted_providers, {.count = static_cast<std::int64_t>(quotas_.providers)}, {.count = 1}};
  std::vector<postgres::query> first{lock_project_query(editor.project), more.look()};
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(first)));
  if (found[0].empty()) co_return errc::project_archived;
  if (auto ok = more.fits(found[1]); !ok) co_return ok.error();
  sealed_columns hidden;
  if (!split->secrets.empty()) {
    project_key const key = co_await data_key_of(work, master_, editor.project);
    hidden = {seal_secrets(key.plain, split->secrets, editor.project, id), key.id};
  }
  std::vector<postgres::query> changes{
      {insert_provider, postgres::parameters(id, editor.project, wanted.name, wanted.type, wanted.enabled,
                                             boost::json::serialize(split->shown), hidden.sealed, hidden.key,
                                             wanted.group_seconds, wanted.rate_per_minute)},
      more.assertion()};
  postgres::outcome<std::vector<postgres::rows>> const made = co_await work.run(std::move(changes));
  if (!made) co_return more.refusal(made.error());
  co_return co_await finish(work, editor, "created", id, {}, wanted);
}

task<result<notification_provider>> provider_store::update(editor editor, uuid id, provider_edit edit,
                                                           deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  std::vector<postgres::query> first{{lock_provider, postgres::parameters(editor.project, id)},
                                     {get_provider, postgres::parameters(editor.project, id)}};
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(first)));
  if (found[0].empty()) co_return errc::not_found;
  notification_provider const current = read_provider_row(found[1].front());
  if (!editor.expects(current.version)) co_return errc::precondition_failed;
  result<provider_settings> const edited = edit(current);
  if (!edited) co_return edited.error();
  provider_settings const& wanted = *edited;

  postgres::query change;
  boost::json::object config = read_object(wanted.config);
  if (wanted.type == current.type && config == read_object(current.config)) {
    change = {update_plain, postgres::parameters(editor.project, id, wanted.name, wanted.enabled,
                                                 wanted.group_seconds, wanted.rate_per_minute)};
  } else {
    project_key const key = co_await data_key_of(work, master_, editor.project);
    split_config stored;
    // The secrets of another type do not carry over, even if their names match.
    if (wanted.type == current.type && !found[0].front().is_null(0)) {
      stored = {read_object(current.config),
                open_secrets(key.plain, found[0].front().bytes(0), editor.project, id, "provider")};
      if (!found[0].front().boolean(1)) stored.secrets.erase(former_signing_secret);
    }
    result<split_config> const split = take_secrets(wanted.type, std::move(config), stored);
    if (!split) co_return split.error();
    sealed_columns hidden;
    if (!split->secrets.empty()) hidden = {seal_secrets(key.plain, split->secrets, editor.project, id), key.id};
    change = {update_provider, postgres::parameters(editor.project, id, wanted.name, wanted.type, wanted.enabled,
                                                    boost::json::serialize(split->shown), hidden.sealed, hidden.key,
                                                    wanted.group_seconds, wanted.rate_per_minute,
                                                    fate_of_former(stored.secrets, split->secrets))};
  }
  co_return co_await finish(work, editor, "updated", id, {std::move(change)}, wanted);
}

}  // namespace svc::store
