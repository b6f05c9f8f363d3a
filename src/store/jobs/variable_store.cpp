#include "svc/store/jobs/variable_store.hpp"

#include "store/sealing/project_key.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

namespace svc::store {

namespace {

constexpr auto get_variable_sql =
    sql("SELECT", variable_columns, variable_tables, "WHERE v.project_id = $1 AND v.id = $2");
constexpr postgres::statement get_variable{"variable_get", get_variable_sql};
// $2 limit + 1, $3 offset, $4 and $5 the key to start after.
constexpr auto list_variables_sql = paged_sql(
    "variables WHERE project_id = $1::uuid",
    "estimated_rows('SELECT FROM variables WHERE project_id = ' || quote_literal($1))", "",
    sql(variable_columns, variable_tables, "WHERE v.project_id = $1", rows_before("v.created_at, v.id", "$4", "$5"),
        " ORDER BY v.created_at DESC, v.id DESC LIMIT $2 OFFSET $3"));
constexpr postgres::statement list_variables{"variable_list", list_variables_sql};

constexpr postgres::statement insert_variable{"variable_insert", R"(
INSERT INTO variables (id, project_id, key, sealed, key_id, is_secret, description)
VALUES ($1, $2, $3, $4, $5, $6, $7))"};

// Runs before the statement that reads, whose snapshot is then taken after the wait for the lock.
constexpr postgres::statement lock_variable{"variable_lock",
                                            "SELECT FROM variables WHERE project_id = $1 AND id = $2 FOR UPDATE"};

constexpr postgres::statement update_variable{"variable_update", R"(
UPDATE variables SET key = $3, is_secret = $4, description = $5, sealed = coalesce($6, sealed),
       key_id = coalesce($7, key_id), version = version + 1, updated_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

constexpr postgres::statement delete_variable{"variable_delete",
                                              "DELETE FROM variables WHERE project_id = $1 AND id = $2"};

variable read_variable(master_keys& master, uuid project, postgres::row r, int first = 0) {
  variable made{.id = r.id(first),
                .key = std::string(r.text(first + 1)),
                .is_secret = r.boolean(first + 2),
                .description = r.maybe_text(first + 3),
                .version = r.integer(first + 4),
                .created_at = r.time(first + 5),
                .updated_at = r.time(first + 6)};
  if (!made.is_secret) made.value = std::string(open_variable(master, r, first, project).reveal());
  return made;
}

/// The details never contain the value, or whether a new value equals the old one: only what was done.
postgres::query audited(editor const& editor, std::string_view verb, uuid id, std::string_view key, bool is_secret) {
  boost::json::object const details{{"key", key}, {"isSecret", is_secret}};
  return audit_query(editor.entry("variable." + std::string(verb), "variable", id, boost::json::serialize(details)));
}

std::vector<postgres::query> lock_and_reread(uuid project, uuid id) {
  return {{lock_variable, postgres::parameters(project, id)}, {get_variable, postgres::parameters(project, id)}};
}

error refusal_of_variable(postgres::server_error const& failure, growth const& more) {
  if (failure.constraint == "variables_key_unique") return {errc::name_taken};
  return more.refusal(failure);
}

growth growth_of_variables(uuid project, quota_table const& quotas, amount more) {
  amount const most{static_cast<std::int64_t>(quotas.variables), static_cast<std::int64_t>(quotas.variable_bytes)};
  return {project, counted_variables, most, more};
}

std::int64_t size_of(secret_string const& value) {
  return static_cast<std::int64_t>(value.reveal().size());
}

std::int64_t sealed_size(postgres::row r) {
  return static_cast<std::int64_t>(r.bytes(7).size());
}

}  // namespace

task<page<variable>> variable_store::list(uuid project, page_request wanted, deadline until) {
  postgres::query ask{list_variables, postgres::parameters(project, wanted.limit + 1, wanted.offset(),
                                                           wanted.after_time(), wanted.after_id())};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  auto const read = [&](postgres::row r, int first) { return read_variable(master_, project, r, first); };
  co_return read_page<variable>(found, wanted, 2, read, created_key<variable>);
}

task<result<variable>> variable_store::get(uuid project, uuid id, deadline until) {
  auto const read = [this, project](postgres::row r, int first) { return read_variable(master_, project, r, first); };
  return read_one<variable>(db_.read({get_variable, postgres::parameters(project, id)}, until), read);
}

task<result<secret_string>> variable_store::reveal(uuid project, uuid id, deadline until) {
  auto const open = [this, project](postgres::row r, int first) { return open_variable(master_, r, first, project); };
  return read_one<secret_string>(db_.read({get_variable, postgres::parameters(project, id)}, until), open);
}

task<result<variable>> variable_store::create(editor editor, variable_settings wanted, deadline until) {
  uuid const id = uuid::generate_v7();
  postgres::unit_of_work work = co_await db_.begin(until);
  growth const more = growth_of_variables(editor.project, quotas_, {1, size_of(*wanted.value)});
  std::vector<postgres::query> first{lock_project_query(editor.project), more.look()};
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(first)));
  if (found[0].empty()) co_return errc::project_archived;
  if (auto ok = more.fits(found[1]); !ok) co_return ok.error();
  project_key const key = co_await data_key_of(work, master_, editor.project);
  auto const sealed = seal_bytes(key.plain, wanted.value.value().reveal(), place_of(editor.project, id));
  std::vector<postgres::query> last{
      {insert_variable,
       postgres::parameters(id, editor.project, wanted.key, sealed, key.id, wanted.is_secret, wanted.description)},
      audited(editor, "created", id, wanted.key, wanted.is_secret),
      more.assertion(),
      {get_variable, postgres::parameters(editor.project, id)}};
  postgres::outcome<std::vector<postgres::rows>> const done = co_await work.commit(std::move(last));
  if (!done) co_return refusal_of_variable(done.error(), more);
  co_return read_variable(master_, editor.project, done.value().back().front());
}

task<result<variable>> variable_store::update(editor editor, uuid id, variable_edit edit, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  growth more = growth_of_variables(editor.project, quotas_, {});
  std::vector<postgres::query> first = lock_and_reread(editor.project, id);
  first.push_back(more.look());
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(first)));
  if (found[0].empty()) co_return errc::not_found;
  variable const current = read_variable(master_, editor.project, found[1].front());
  if (!editor.expects(current.version)) co_return errc::precondition_failed;
  result<variable_settings> const wanted = edit(current);
  if (!wanted) co_return wanted.error();
  std::optional<byte_vector> sealed;
  std::optional<uuid> key_id;
  if (wanted->value) {
    project_key const key = co_await data_key_of(work, master_, editor.project);
    sealed = seal_bytes(key.plain, wanted->value->reveal(), place_of(editor.project, id));
    key_id = key.id;
    more.more.bytes = static_cast<std::int64_t>(sealed->size()) - sealed_size(found[1].front());
    if (auto ok = more.fits(found[2]); !ok) co_return ok.error();
  }
  std::vector<postgres::query> last{
      {update_variable,
       postgres::parameters(editor.project, id, wanted->key, wanted->is_secret, wanted->description, sealed, key_id)},
      audited(editor, "updated", id, wanted->key, wanted->is_secret),
      more.assertion(),
      {get_variable, postgres::parameters(editor.project, id)}};
  postgres::outcome<std::vector<postgres::rows>> const done = co_await work.commit(std::move(last));
  if (!done) co_return refusal_of_variable(done.error(), more);
  co_return read_variable(master_, editor.project, done.value().back().front());
}

task<result<>> variable_store::remove(editor editor, uuid id, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  std::vector<postgres::rows> const found = settled(co_await work.run(lock_and_reread(editor.project, id)));
  if (found[0].empty()) co_return errc::not_found;
  postgres::row const current = found[1].front();
  if (!editor.expects(current.integer(4))) co_return errc::precondition_failed;
  std::vector<postgres::query> last{{delete_variable, postgres::parameters(editor.project, id)},
                                    audited(editor, "deleted", id, current.text(1), current.boolean(2))};
  settled(co_await work.commit(std::move(last)));
  co_return result<>();
}

}  // namespace svc::store
