#include "store/directory/audit_sql.hpp"
#include "store/directory/project_key.hpp"
#include "store/directory/project_sql.hpp"
#include "store/jobs/provider_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/provider_config.hpp"
#include "svc/store/provider_store.hpp"

#include <boost/json.hpp>

namespace svc::store {

namespace {

constexpr postgres::statement insert_provider{"provider_insert", R"(
INSERT INTO notification_providers (id, project_id, name, type, enabled, config, sealed, key_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8))"};

constexpr postgres::statement lock_provider{"provider_lock_to_change", R"(
SELECT sealed FROM notification_providers WHERE project_id = $1 AND id = $2 FOR UPDATE)"};

constexpr postgres::statement reread_provider{"provider_reread", SVC_PROVIDER_BY_ID};

constexpr postgres::statement update_provider{"provider_update", R"(
UPDATE notification_providers SET name = $3, type = $4, enabled = $5, config = $6, sealed = $7, key_id = $8,
       version = version + 1, updated_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

constexpr postgres::statement update_plain{"provider_update_plain", R"(
UPDATE notification_providers SET name = $3, enabled = $4, version = version + 1, updated_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

boost::json::object read_object(std::string_view text) {
  return boost::json::parse(text).as_object();
}

postgres::query audited(editor const& by, std::string_view verb, uuid id, provider_settings const& set) {
  boost::json::object const details{{"name", set.name}, {"type", set.type}};
  return audit_query(by.entry("notification_provider." + std::string(verb), "notification_provider", id,
                              boost::json::serialize(details)));
}

/// The provider as it then stands.
task<notification_provider> finish(postgres::unit_of_work& work, editor by, std::string_view verb, uuid id,
                                   postgres::query change, provider_settings set) {
  postgres::rows const now = co_await commit_change(work, {std::move(change)}, audited(by, verb, id, set),
                                                    {reread_provider, postgres::parameters(by.project, id)});
  co_return read_provider_row(now.front());
}

/// What the columns `sealed` and `key_id` hold.
struct sealed_columns {
  std::optional<byte_vector> sealed{};
  std::optional<uuid> key{};
};

}  // namespace

task<result<notification_provider>> provider_store::create(editor by, provider_settings wanted, deadline until) {
  uuid const id = uuid::generate_v7();
  result<split_config> const split = take_secrets(wanted.type, read_object(wanted.config), {});
  if (!split) co_return split.error();
  postgres::unit_of_work work = co_await db_.begin(until);
  postgres::rows const project = settled(co_await work.run(lock_project_query(by.project)));
  if (project.empty()) co_return errc::project_archived;
  sealed_columns hidden;
  if (!split->secrets.empty()) {
    project_key const key = co_await data_key_of(work, master_, by.project);
    hidden = {seal_secrets(key.plain, split->secrets, by.project, id), key.id};
  }
  postgres::query insert{insert_provider,
                         postgres::parameters(id, by.project, wanted.name, wanted.type, wanted.enabled,
                                              boost::json::serialize(split->shown), hidden.sealed, hidden.key)};
  co_return co_await finish(work, by, "created", id, std::move(insert), wanted);
}

task<result<notification_provider>> provider_store::update(editor by, uuid id, provider_edit edit, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  std::vector<postgres::query> first{{lock_provider, postgres::parameters(by.project, id)},
                                     {reread_provider, postgres::parameters(by.project, id)}};
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(first)));
  if (found[0].empty()) co_return errc::not_found;
  notification_provider const current = read_provider_row(found[1].front());
  if (!by.expects(current.version)) co_return errc::precondition_failed;
  result<provider_settings> const edited = edit(current);
  if (!edited) co_return edited.error();
  provider_settings const& wanted = *edited;

  postgres::query change;
  boost::json::object config = read_object(wanted.config);
  if (wanted.type == current.type && config == read_object(current.config)) {
    change = {update_plain, postgres::parameters(by.project, id, wanted.name, wanted.enabled)};
  } else {
    project_key const key = co_await data_key_of(work, master_, by.project);
    split_config stored;
    // Another type's secrets do not carry over, whatever their names.
    if (wanted.type == current.type && !found[0].front().is_null(0)) {
      stored = {read_object(current.config), open_secrets(key.plain, found[0].front().bytes(0), by.project, id)};
    }
    result<split_config> const split = take_secrets(wanted.type, std::move(config), stored);
    if (!split) co_return split.error();
    sealed_columns hidden;
    if (!split->secrets.empty()) hidden = {seal_secrets(key.plain, split->secrets, by.project, id), key.id};
    change = {update_provider, postgres::parameters(by.project, id, wanted.name, wanted.type, wanted.enabled,
                                                    boost::json::serialize(split->shown), hidden.sealed, hidden.key)};
  }
  co_return co_await finish(work, by, "updated", id, std::move(change), wanted);
}

}  // namespace svc::store
