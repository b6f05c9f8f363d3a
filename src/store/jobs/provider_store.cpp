#include "svc/store/provider_store.hpp"

#include "store/directory/audit_sql.hpp"
#include "store/directory/project_key.hpp"
#include "store/jobs/provider_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/read_one.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/provider_config.hpp"

#include <boost/json.hpp>

namespace svc::store {

namespace {

constexpr postgres::statement get_provider{"provider_get", SVC_PROVIDER_BY_ID};

// $2 limit + 1, $3 offset, $4 and $5 the key to begin behind.
constexpr postgres::statement list_providers{
    "provider_list",
    SVC_PAGED("notification_providers WHERE project_id = $1::uuid",
              "estimated_rows('SELECT FROM notification_providers WHERE project_id = ' || quote_literal($1))", "",
              SVC_PROVIDER_COLUMNS "FROM notification_providers p WHERE p.project_id = $1" SVC_BEFORE(
                  "p.created_at, p.id", "$4", "$5") " ORDER BY p.created_at DESC, p.id DESC LIMIT $2 OFFSET $3")};

constexpr postgres::statement reveal_provider{"provider_reveal", R"(
SELECT p.config, p.sealed, k.key_id, k.wrapped, p.type, k.master_key_id
  FROM notification_providers p LEFT JOIN project_keys k ON k.project_id = p.project_id AND k.key_id = p.key_id
 WHERE p.project_id = $1 AND p.id = $2)"};

constexpr postgres::statement lock_to_remove{"provider_lock", R"(
SELECT version, name, type FROM notification_providers WHERE project_id = $1 AND id = $2 FOR UPDATE)"};

constexpr postgres::statement delete_provider{"provider_delete", R"(
DELETE FROM notification_providers WHERE project_id = $1 AND id = $2)"};

}  // namespace

notification_provider read_provider_row(postgres::row r, int first) {
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
  return made;
}

boost::json::object open_secrets(byte_view key, byte_view sealed, uuid project, uuid id) {
  auto const plain = open_bytes(key, sealed, place_of(project, id));
  if (!plain) throw unavailable("the sealed config of provider " + id.to_string() + " does not open");
  return boost::json::parse(plain->reveal()).as_object();
}

byte_vector seal_secrets(byte_view key, boost::json::object const& secrets, uuid project, uuid id) {
  secret_string const plain(boost::json::serialize(secrets));
  return seal_bytes(key, plain.reveal(), place_of(project, id));
}

task<page<notification_provider>> provider_store::list(uuid project, page_request wanted, deadline until) {
  postgres::query ask{list_providers, postgres::parameters(project, wanted.limit + 1, wanted.offset(),
                                                           wanted.after_time(), wanted.after_id())};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_page<notification_provider>(found, wanted, 2, read_provider_row, created_key<notification_provider>);
}

task<result<notification_provider>> provider_store::get(uuid project, uuid id, deadline until) {
  return read_one<notification_provider>(db_, {get_provider, postgres::parameters(project, id)}, read_provider_row,
                                         until);
}

task<result<secret_string>> provider_store::reveal(uuid project, uuid id, deadline until) {
  postgres::query ask{reveal_provider, postgres::parameters(project, id)};
  postgres::rows const done = settled(co_await db_.run(std::move(ask), until));
  if (done.empty()) co_return errc::not_found;
  postgres::row const r = done.front();
  if (r.is_null(1)) co_return secret_string(std::string(r.text(0)));
  split_config whole{.shown = boost::json::parse(r.text(0)).as_object(), .secrets = {}};
  secret_bytes const key = open_data_key(master_, project, r.id(2), r.text(5), r.bytes(3));
  whole.secrets = open_secrets(key, r.bytes(1), project, id);
  co_return secret_string(boost::json::serialize(put_secrets(r.text(4), std::move(whole))));
}

task<result<>> provider_store::remove(editor by, uuid id, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  postgres::query lock{lock_to_remove, postgres::parameters(by.project, id)};
  postgres::rows const begun = settled(co_await work.run(std::move(lock)));
  if (begun.empty()) co_return errc::not_found;
  postgres::row const current = begun.front();
  if (!by.expects(current.integer(0))) co_return errc::precondition_failed;
  boost::json::object const details{{"name", current.text(1)}, {"type", current.text(2)}};
  std::vector<postgres::query> last{{delete_provider, postgres::parameters(by.project, id)},
                                    audit_query(by.entry("notification_provider.deleted", "notification_provider", id,
                                                         boost::json::serialize(details)))};
  settled(co_await work.commit(std::move(last)));
  co_return result<>();
}

}  // namespace svc::store
