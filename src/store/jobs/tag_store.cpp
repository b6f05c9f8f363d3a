#include "svc/store/jobs/tag_store.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "store/windows/occurrence_sql.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

namespace svc::store {

namespace {

constexpr auto tag_columns = sql(" g.id, g.name, g.color, g.version, g.created_at, g.updated_at ");
// $2 limit + 1, $3 offset, $4 and $5 the key to start after. A project has at most 200 tags.
constexpr auto list_tags_sql =
    paged_sql("tags WHERE project_id = $1::uuid", no_estimate, "",
              sql(tag_columns, "FROM tags g WHERE g.project_id = $1", rows_before("g.created_at, g.id", "$4", "$5"),
                  " ORDER BY g.created_at DESC, g.id DESC LIMIT $2 OFFSET $3"));
constexpr postgres::statement list_tags{"tag_list", list_tags_sql};
constexpr auto reread_tag_sql = sql("SELECT", tag_columns, "FROM tags g WHERE g.project_id = $1 AND g.id = $2");
constexpr postgres::statement reread_tag{"tag_reread", reread_tag_sql};

// Allows one creation at a time per project, so that the next statement's snapshot sees all slots taken before it. An
// insertion without the lock still fails on the unique slots.
constexpr postgres::statement lock_tag_slots{"tag_lock_slots",
                                             "SELECT pg_advisory_xact_lock(hashtextextended('tags ' || $1, 0))"};
constexpr postgres::statement free_slot{"tag_free_slot", R"(
SELECT min(n)::int8 FROM generate_series(1, 200) n
 WHERE NOT EXISTS (SELECT FROM tags g WHERE g.project_id = $1 AND g.slot = n))"};

constexpr postgres::statement insert_tag{
    "tag_insert", "INSERT INTO tags (id, project_id, name, color, slot) VALUES ($1, $2, $3, $4, $5)"};

// Runs before the statement that reads, whose snapshot is then taken after the wait for the lock.
constexpr postgres::statement lock_tag{"tag_lock", "SELECT FROM tags WHERE project_id = $1 AND id = $2 FOR UPDATE"};

constexpr postgres::statement update_tag{"tag_update", R"(
UPDATE tags SET name = $3, color = $4, version = version + 1, updated_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

// Maintenance windows that have the tag do not cover its monitors any more. The monitors are locked before the tag,
// as by changes of a monitor's tags, in the order that all transactions share.
constexpr postgres::statement lock_tagged_monitors{"tag_lock_monitors", R"(
SELECT m.id FROM monitors m
 WHERE m.project_id = $1 AND m.id = ANY (ARRAY(SELECT g.monitor_id FROM monitor_tags g WHERE g.tag_id = $2))
   AND EXISTS (SELECT FROM maintenance_targets t WHERE t.tag_id = $2)
 ORDER BY m.id FOR NO KEY UPDATE)"};

constexpr postgres::statement delete_tag{"tag_delete", "DELETE FROM tags WHERE project_id = $1 AND id = $2"};

tag read_tag(postgres::row r, int first = 0) {
  return {r.id(first),
          {std::string(r.text(first + 1)), std::string(r.text(first + 2))},
          r.integer(first + 3),
          r.time(first + 4),
          r.time(first + 5)};
}

postgres::query audited(editor const& editor, std::string_view verb, uuid id, tag_settings const& set) {
  return audit_query(
      editor.entry("tag." + std::string(verb), "tag", id,
                   boost::json::serialize(boost::json::object{{"name", set.name}, {"color", set.color}})));
}

std::vector<postgres::query> lock_and_read_tag(uuid project, uuid id) {
  return {{lock_tag, postgres::parameters(project, id)}, {reread_tag, postgres::parameters(project, id)}};
}

error refusal_of_tag(postgres::server_error const& failure) {
  if (failure.constraint == "tags_name_unique") return {errc::name_taken};
  if (failure.constraint == "tags_slot_unique") return {errc::tag_limit_reached};
  reject(failure);
}

}  // namespace

task<page<tag>> tag_store::list(uuid project, page_request wanted, deadline until) {
  postgres::query ask{list_tags, postgres::parameters(project, wanted.limit + 1, wanted.offset(), wanted.after_time(),
                                                      wanted.after_id())};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_page<tag>(found, wanted, 2, [](auto r, int first) { return read_tag(r, first); }, created_key<tag>);
}

task<result<tag>> tag_store::get(uuid project, uuid id, deadline until) {
  return read_one<tag>(db_.read({reread_tag, postgres::parameters(project, id)}, until), read_tag);
}

task<result<tag>> tag_store::create(editor editor, tag_settings wanted, deadline until) {
  uuid const id = uuid::generate_v7();
  postgres::unit_of_work work = co_await db_.begin(until);
  std::vector<postgres::query> first{lock_project_query(editor.project),
                                     {lock_tag_slots, postgres::parameters(editor.project.to_string())},
                                     {free_slot, postgres::parameters(editor.project)}};
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(first)));
  if (found[0].empty()) co_return errc::project_archived;
  if (found[2].front().is_null(0)) co_return errc::tag_limit_reached;
  std::vector<postgres::query> last{
      {insert_tag, postgres::parameters(id, editor.project, wanted.name, wanted.color, found[2].front().integer(0))},
      audited(editor, "created", id, wanted),
      {reread_tag, postgres::parameters(editor.project, id)}};
  postgres::outcome<std::vector<postgres::rows>> const done = co_await work.commit(std::move(last));
  if (!done) co_return refusal_of_tag(done.error());
  co_return read_tag(done.value().back().front());
}

task<result<tag>> tag_store::update(editor editor, uuid id, tag_edit edit, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  std::vector<postgres::rows> const found = settled(co_await work.run(lock_and_read_tag(editor.project, id)));
  if (found[0].empty()) co_return errc::not_found;
  tag const current = read_tag(found[1].front());
  if (!editor.expects(current.version)) co_return errc::precondition_failed;
  result<tag_settings> const wanted = edit(current);
  if (!wanted) co_return wanted.error();
  std::vector<postgres::query> last{
      {update_tag, postgres::parameters(editor.project, id, wanted->name, wanted->color)},
      audited(editor, "updated", id, *wanted),
      {reread_tag, postgres::parameters(editor.project, id)}};
  postgres::outcome<std::vector<postgres::rows>> const done = co_await work.commit(std::move(last));
  if (!done) co_return refusal_of_tag(done.error());
  co_return read_tag(done.value().back().front());
}

task<result<>> tag_store::remove(editor editor, uuid id, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  auto reads = lock_and_read_tag(editor.project, id);
  reads.insert(reads.begin(), {lock_windows_query(editor.project),
                               {lock_tagged_monitors, postgres::parameters(editor.project, id)}});
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(reads)));
  if (found[2].empty()) co_return errc::not_found;
  tag const current = read_tag(found[3].front());
  if (!editor.expects(current.version)) co_return errc::precondition_failed;
  std::vector<postgres::query> last{{delete_tag, postgres::parameters(editor.project, id)}};
  touch_monitors(read_ids(found[1]), last);
  // Their windows do not cover these monitors any more.
  if (editor.actor.audited && !found[1].empty()) {
    editor.actor.audited->push_back({editor.project, "maintenance_window", std::nullopt});
    editor.actor.audited->push_back({editor.project, "monitor", std::nullopt});
  }
  last.push_back(audited(editor, "deleted", id, current.set));
  settled(co_await work.commit(std::move(last)));
  co_return result<>();
}

}  // namespace svc::store
