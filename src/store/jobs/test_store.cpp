#include "svc/store/jobs/test_store.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "store/sql/tag_sql.hpp"
#include "svc/core/turns.hpp"
#include "svc/domain/job.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

namespace svc::store {

namespace {

constexpr auto test_columns =
    sql(" t.id, t.title, t.description, t.type, t.priority, t.version, t.created_at, t.updated_at, ",
        tags_of("test_tags", "test_id = t.id"));

// Scripts are large and stored out of line; the CASE avoids reading those that are not requested. PostgreSQL knows
// the length of a text without reading it.
constexpr auto get_test_sql =
    sql("SELECT", test_columns,
        ", CASE WHEN octet_length(t.script) <= $3::bigint THEN t.script END,"
        " octet_length(t.script)::bigint FROM tests t WHERE t.project_id = $1 AND t.id = $2");
constexpr postgres::statement get_test{"test_get", get_test_sql};
constexpr std::int64_t whole_script = INT64_MAX, no_script = -1;

// The script comes in rows of 256 KiB, because libpq keeps a buffer of twice the largest row for each connection. It
// is read once for all rows.
constexpr auto get_test_in_pieces_sql = sql(
    "SELECT t.id, t.title, t.description, t.type, t.priority, t.version, t.created_at, t.updated_at, t.tags,"
    " s.at::bigint, substr(t.script, s.at * 262144 + 1, 262144) FROM (SELECT",
    test_columns,
    " AS tags, convert_to(t.script, 'UTF8') AS script FROM tests t WHERE t.project_id = $1 AND t.id = $2 OFFSET 0) t"
    " CROSS JOIN LATERAL generate_series(0, greatest(0, (octet_length(t.script) - 1) / 262144)) s (at)");
constexpr postgres::statement get_test_in_pieces{"test_get_in_pieces", get_test_in_pieces_sql};

// $2 search, $3 limit + 1, $4 offset, $5 and $6 the key to start after, $7 type, $8 tag.
constexpr auto wanted_tests =
    sql("t.project_id = $1::uuid AND ($2::text IS NULL OR position(lower($2) IN lower(t.title)) > 0)"
        " AND ($7::text IS NULL OR t.type = $7) AND ($8::uuid IS NULL OR EXISTS (SELECT FROM test_tags w"
        " WHERE w.test_id = t.id AND w.tag_id = $8))");
constexpr auto list_tests_sql = paged_sql(
    sql("tests t WHERE ", wanted_tests),
    "estimated_rows('SELECT FROM tests t WHERE t.project_id = ' || quote_literal($1))", "",
    sql(test_columns, ", NULL::text FROM tests t WHERE ", wanted_tests, rows_before("t.created_at, t.id", "$5", "$6"),
        " ORDER BY t.created_at DESC, t.id DESC"
        " LIMIT $3 OFFSET $4"));
constexpr postgres::statement list_tests{"test_list", list_tests_sql};

constexpr postgres::statement insert_test{"test_insert", R"(
INSERT INTO tests (id, project_id, title, description, type, priority, script) VALUES ($1, $2, $3, $4, $5, $6, $7))"};

// FOR UPDATE, so that the test cannot be added to a job until COMMIT (the foreign key needs KEY SHARE) and the next
// statement sees all jobs that use it. PostgreSQL knows the length of a text without reading it.
constexpr postgres::statement lock_test{"test_lock", R"(
SELECT octet_length(script) FROM tests WHERE project_id = $1 AND id = $2 FOR UPDATE)"};

constexpr postgres::statement jobs_of_test{"test_jobs", R"(
SELECT j.id, j.name FROM job_tests jt JOIN jobs j ON j.id = jt.job_id WHERE jt.test_id = $1 ORDER BY j.id)"};

constexpr postgres::statement update_test{"test_update", R"(
UPDATE tests SET title = $3, description = $4, type = $5, priority = $6, script = coalesce($7, script), version = version + 1,
       updated_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

constexpr postgres::statement delete_test{"test_delete", "DELETE FROM tests WHERE project_id = $1 AND id = $2"};

constexpr postgres::statement clear_tags{"test_clear_tags", "DELETE FROM test_tags WHERE test_id = $1"};

constexpr postgres::statement insert_tags{"test_insert_tags", R"(
INSERT INTO test_tags (project_id, test_id, tag_id) SELECT $1, $2, unnest($3::uuid[]))"};

constexpr postgres::statement touch_test{"test_touch", R"(
UPDATE tests SET version = version + 1, updated_at = clock_timestamp() WHERE project_id = $1 AND id = $2)"};

constexpr int most_named = 20;  ///< jobs, in an error

test_case read_test(postgres::row r, int first = 0) {
  test_case made;
  made.id = r.id(first);
  made.set.title = r.text(first + 1);
  made.set.description = r.maybe_text(first + 2);
  made.set.type = r.text(first + 3);
  made.set.priority = r.text(first + 4);
  made.version = r.integer(first + 5);
  made.created_at = r.time(first + 6);
  made.updated_at = r.time(first + 7);
  made.tags = r.text(first + 8);
  return made;
}

/// A row of `get_test` without its script.
test_case read_sized(postgres::row r) {
  test_case made = read_test(r);
  made.script_size = r.integer(10);
  return made;
}

error in_use(std::string message, postgres::rows const& jobs) {
  std::vector<field_error> named;
  for (int i = 0; i < jobs.size() && i < most_named; ++i) {
    named.push_back({"/jobs/" + jobs[i].id(0).to_string(), std::string(jobs[i].text(1))});
  }
  return {errc::test_in_use, std::move(message), std::move(named)};
}

std::string details_of(test_settings const& set) {
  return boost::json::serialize(boost::json::object{{"title", set.title}, {"type", set.type}});
}

growth growth_of_tests(uuid project, quota_table const& quotas, amount more) {
  amount const most{static_cast<std::int64_t>(quotas.tests), static_cast<std::int64_t>(quotas.script_bytes)};
  return {project, counted_tests, most, more};
}

/// Reads the first row with its script. A large script is copied in several turns of the loop, after a turn for
/// others, because libpq has just copied it once.
task<test_case> read_whole(postgres::rows found) {
  test_case made = read_sized(found.front());
  auto const script = found.front().text(9);
  if (script.size() > piece_of_turn) co_await others_turn();
  made.set.script = co_await copy_in_turns(std::make_shared<postgres::rows>(std::move(found)), script);
  co_return made;
}

/// The start of a character whose end is in the next piece.
std::string_view unfinished_character(std::string_view text) {
  std::size_t size = 0;
  auto const is_inside = [&](std::size_t back) {
    return (static_cast<unsigned char>(text[text.size() - back]) & 0xC0U) == 0x80U;
  };
  while (size < 3 && size < text.size() && is_inside(size + 1)) ++size;
  if (size == text.size()) return {};
  auto const lead = static_cast<unsigned char>(text[text.size() - size - 1]);
  std::size_t const wanted = lead < 0xC0U ? 0 : lead < 0xE0U ? 1 : lead < 0xF0U ? 2 : 3;
  return size < wanted ? text.substr(text.size() - size - 1) : std::string_view();
}

/// Copies the rows of `get_test_in_pieces`, in several turns of the loop.
task<test_in_pieces> read_pieces(postgres::rows found) {
  test_in_pieces out{.test = read_test(found.front())};
  std::string begun;
  for (int i = 0; i < found.size(); ++i) {
    if (found[i].integer(9) != i) throw std::runtime_error("PostgreSQL returned the pieces of a script out of order");
    auto const bytes = found[i].bytes(10);
    out.test.script_size += static_cast<std::int64_t>(bytes.size());
    std::string piece = std::move(begun);
    piece.append(bytes.begin(), bytes.end());
    begun = unfinished_character(piece);
    piece.resize(piece.size() - begun.size());
    out.script.push_back(std::move(piece));
    if (i + 1 < found.size()) co_await others_turn();
  }
  out.script.back() += begun;
  co_return out;
}

/// Locks the test, then reads it and the jobs that use it.
std::vector<postgres::query> lock_and_read_jobs(uuid project, uuid id) {
  return {{lock_test, postgres::parameters(project, id)},
          {get_test, postgres::parameters(project, id, no_script)},
          {jobs_of_test, postgres::parameters(id)}};
}

}  // namespace

task<page<test_case>> test_store::list(uuid project, test_filter filter, page_request wanted, deadline until) {
  postgres::query ask{
      list_tests, postgres::parameters(project, filter.search, wanted.limit + 1, wanted.offset(), wanted.after_time(),
                                       wanted.after_id(), filter.type, filter.tag)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_page<test_case>(found, wanted, 2, read_test, created_key<test_case>);
}

task<result<test_case>> test_store::get(uuid project, uuid id, bool with_script, deadline until) {
  if (!with_script) co_return co_await get_small(project, id, no_script, until);
  auto found = co_await get_in_pieces(project, id, until);
  if (!found) co_return found.error();
  for (auto& piece : found->script) found->test.set.script += std::exchange(piece, {});
  co_return std::move(found->test);
}

task<result<test_in_pieces>> test_store::get_in_pieces(uuid project, uuid id, deadline until) {
  // A script can be large: those who read only rows do not wait for it.
  postgres::query ask{get_test_in_pieces, postgres::parameters(project, id)};
  postgres::rows found = settled(co_await db_.run(std::move(ask), until));
  if (found.empty()) co_return errc::not_found;
  co_return co_await read_pieces(std::move(found));
}

task<result<test_case>> test_store::get_small(uuid project, uuid id, std::int64_t most_script, deadline until) {
  postgres::query ask{get_test, postgres::parameters(project, id, most_script)};
  postgres::rows const found = settled(co_await db_.read(std::move(ask), until));
  if (found.empty()) co_return errc::not_found;
  test_case made = read_sized(found.front());
  if (auto const script = found.front().maybe_text(9)) made.set.script = *script;
  co_return made;
}

task<result<test_case>> test_store::create(editor editor, test_settings wanted, deadline until) {
  uuid const id = uuid::generate_v7();
  postgres::unit_of_work work = co_await db_.begin(until);
  growth const more = growth_of_tests(editor.project, quotas_, {1, static_cast<std::int64_t>(wanted.script.size())});
  std::vector<postgres::query> first{lock_project_query(editor.project), more.look()};
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(first)));
  if (found[0].empty()) co_return errc::project_archived;
  if (auto ok = more.fits(found[1]); !ok) co_return ok.error();
  auto const script = std::make_shared<std::string>(std::move(wanted.script));
  if (script->size() > piece_of_turn) co_await others_turn();  // libpq copies the script on sending
  std::vector<postgres::query> last{
      {insert_test, postgres::parameters(id, editor.project, wanted.title, wanted.description, wanted.type,
                                         wanted.priority, script)},
      audit_query(editor.entry("test.created", "test", id, details_of(wanted))),
      more.assertion(),
      {get_test, postgres::parameters(editor.project, id, no_script)}};
  postgres::outcome<std::vector<postgres::rows>> const done = co_await work.commit(std::move(last));
  if (!done) co_return more.refusal(done.error());
  test_case made = read_test(done.value().back().front());
  made.set.script = std::move(*script);  // the sent query is gone, so this is the only reference
  co_return made;
}

task<result<test_case>> test_store::update(editor editor, uuid id, test_edit edit, std::optional<std::string> script,
                                           deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  std::vector<postgres::query> first = lock_and_read_jobs(editor.project, id);
  growth more = growth_of_tests(editor.project, quotas_, {});
  first.push_back(more.look());
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(first)));
  if (found[0].empty()) co_return errc::not_found;
  test_case const current = read_sized(found[1].front());
  if (!editor.expects(current.version)) co_return errc::precondition_failed;
  result<test_settings> const edited = edit(current);
  if (!edited) co_return edited.error();
  test_settings const& wanted = *edited;
  if (job_type_for(wanted.type) != job_type_for(current.set.type) && !found[2].empty()) {
    co_return in_use("Jobs that use the test cannot run a test of type " + wanted.type + ".", found[2]);
  }
  auto const sent = script ? std::make_shared<std::string>(std::move(*script)) : nullptr;
  if (sent) more.more.bytes = static_cast<std::int64_t>(sent->size()) - found[0].front().integer(0);
  if (auto ok = more.fits(found[3]); !ok) co_return ok.error();
  if (sent && sent->size() > piece_of_turn) co_await others_turn();  // libpq copies the script on sending
  std::vector<postgres::query> last{
      {update_test, postgres::parameters(editor.project, id, wanted.title, wanted.description, wanted.type,
                                         wanted.priority, sent)},
      audit_query(editor.entry("test.updated", "test", id, details_of(wanted))),
      more.assertion(),
      {get_test, postgres::parameters(editor.project, id, sent ? no_script : whole_script)}};
  postgres::outcome<std::vector<postgres::rows>> const done = co_await work.commit(std::move(last));
  if (!done) co_return more.refusal(done.error());
  if (!sent) co_return co_await read_whole(done.value().back());
  test_case made = read_test(done.value().back().front());
  made.set.script = std::move(*sent);
  co_return made;
}

task<result<>> test_store::remove(editor editor, uuid id, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  std::vector<postgres::rows> const found = settled(co_await work.run(lock_and_read_jobs(editor.project, id)));
  if (found[0].empty()) co_return errc::not_found;
  test_case const current = read_test(found[1].front());
  if (!editor.expects(current.version)) co_return errc::precondition_failed;
  if (!found[2].empty()) co_return in_use("Jobs use the test; take it out of them first.", found[2]);
  std::vector<postgres::query> last{{delete_test, postgres::parameters(editor.project, id)},
                                    audit_query(editor.entry("test.deleted", "test", id, details_of(current.set)))};
  settled(co_await work.commit(std::move(last)));
  co_return result<>();
}

task<result<test_case>> test_store::set_tags(editor editor, uuid id, std::vector<uuid> tags, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  std::vector<postgres::query> first = lock_and_read_jobs(editor.project, id);
  first.push_back({find_tags, postgres::parameters(editor.project, tags)});
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(first)));
  if (found[0].empty()) co_return errc::not_found;
  test_case const current = read_test(found[1].front());
  if (!editor.expects(current.version)) co_return errc::precondition_failed;
  if (auto ok = check_tags(tags, found[3], "The test's tags cannot be used."); !ok) co_return ok.error();
  boost::json::object const details{{"title", current.set.title}, {"tags", ids_of_tags(tags)}};
  std::vector<postgres::query> last{
      {clear_tags, postgres::parameters(id)},
      {insert_tags, postgres::parameters(editor.project, id, tags)},
      {touch_test, postgres::parameters(editor.project, id)},
      audit_query(editor.entry("test.tagged", "test", id, boost::json::serialize(details))),
      {get_test, postgres::parameters(editor.project, id, no_script)}};
  std::vector<postgres::rows> const done = settled(co_await work.commit(std::move(last)));
  co_return read_test(done.back().front());
}

}  // namespace svc::store
