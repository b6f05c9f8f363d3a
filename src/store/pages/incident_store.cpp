#include "svc/store/pages/incident_store.hpp"

#include "store/pages/incident_sql.hpp"
#include "store/pages/post_sql.hpp"
#include "store/pages/status_page_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace svc::store {
namespace {

// $2 the page, $3 limit + 1, $4 offset, $5 status, $6 whether only open ones, $7 and $8 the key to start after. A
// page has at most 1 000 incidents.
constexpr auto wanted_incidents =
    sql("i.page_id = $2 AND i.project_id = $1::uuid AND ($5::text IS NULL OR i.status = $5)"
        " AND (NOT $6::boolean OR i.slot IS NOT NULL)");
constexpr auto list_incidents_sql = paged_sql(
    sql("incidents i WHERE ", wanted_incidents), no_estimate, "",
    sql(incident_columns, "FROM incidents i WHERE ", wanted_incidents, rows_before("i.started_at, i.id", "$7", "$8"),
        " ORDER BY i.started_at DESC, i.id DESC LIMIT $3 OFFSET $4"));
constexpr postgres::statement list_incidents{"incident_list", list_incidents_sql};

constexpr postgres::statement find_page_of_incidents{"incident_find_page", R"(
SELECT FROM status_pages WHERE project_id = $1 AND id = $2 AND deleted_at IS NULL)"};

constexpr auto list_incident_posts_sql = paged_sql(
    "page_posts o WHERE o.parent_id = $1::uuid", no_estimate, "",
    sql(post_columns, "FROM page_posts o WHERE o.parent_id = $1", rows_before("o.display_at, o.id", "$4", "$5"),
        " ORDER BY o.display_at DESC, o.id DESC LIMIT $2 OFFSET $3"));
constexpr postgres::statement list_incident_posts{"incident_list_posts", list_incident_posts_sql};

constexpr auto get_incident_post_sql =
    sql("SELECT", post_columns, "FROM page_posts o WHERE o.parent_id = $1 AND o.id = $2");
constexpr postgres::statement get_incident_post{"incident_get_post", get_incident_post_sql};

constexpr postgres::statement raise_incident{"incident_raise", R"(
UPDATE incidents SET version = version + 1, updated_at = clock_timestamp() WHERE id = $1)"};

error wrong_first_status() {
  return {errc::validation_failed,
          "The update's status cannot be used.",
          {{"/status", "can be postmortem only after the incident is resolved"}}};
}

bool is_resolving(pages::post_status status) {
  return status == pages::post_status::resolved || status == pages::post_status::postmortem;
}

/// Returns the state after a post. Errors: validation_failed, incident_limit_reached (no slot is free).
result<incident_state> state_after(std::optional<timestamp> resolved_at, std::optional<std::int64_t> slot,
                                   pages::post_status status, timestamp shown_at) {
  if (status == pages::post_status::postmortem && !resolved_at) return wrong_first_status();
  if (is_resolving(status))
    return incident_state{.status = pages::post_status::resolved, .resolved_at = resolved_at.value_or(shown_at)};
  if (!slot) return errc::incident_limit_reached;
  return incident_state{.status = status, .slot = slot};
}

/// An incident under the lock of its page.
struct locked_incident {
  bool archived = false;
  timestamp now{};
  pages::incident current;
};

/// Errors: not_found, precondition_failed.
task<result<locked_incident>> lock_incident(postgres::unit_of_work& work, editor editor, uuid page, uuid id) {
  std::vector<postgres::query> reads{lock_project_query(editor.project),
                                     lock_page_query(editor.project, page),
                                     {get_incident, postgres::parameters(editor.project, page, id)}};
  auto const found = settled(co_await work.run(std::move(reads)));
  if (found[1].empty() || found[2].empty()) co_return errc::not_found;
  locked_incident out{
      .archived = found[0].empty(), .now = found[1].front().time(0), .current = read_incident_row(found[2].front())};
  if (!editor.expects(out.current.version)) co_return errc::precondition_failed;
  co_return out;
}

/// Writes a post of an incident with its mails. Errors: page_bytes_exceeded, post_limit_reached.
task<result<>> write_incident_post(postgres::unit_of_work& work, post_row row, pages::new_post post, growth bytes) {
  auto const used = settled(co_await work.run(bytes.look()));
  if (auto ok = bytes.fits(used); !ok) co_return ok.error();
  std::vector<postgres::query> writes{insert_post_query(row, post)};
  if (post.notify) writes.push_back(queue_post_query(*row.page, row.id));
  auto const done = settled(co_await work.run(std::move(writes)));
  if (done[0].affected() == 0) co_return errc::post_limit_reached;
  if (post.notify && !done[1].front().boolean(0)) co_return errc::post_limit_reached;
  co_return result<>();
}

/// Reads an incident with its posts after the COMMIT.
task<result<pages::incident>> read_complete_incident(postgres::pool& db, uuid project, uuid page, uuid id,
                                                     deadline until) {
  std::vector<postgres::query> ask{{get_incident, postgres::parameters(project, page, id)},
                                   incident_posts_query({id})};
  auto const found = settled(co_await db.run(std::move(ask), until));
  if (found[0].empty()) co_return errc::not_found;
  std::vector<pages::incident> out{read_incident_row(found[0].front())};
  add_incident_posts(found[1], out);
  co_return std::move(out.front());
}

std::int64_t post_bytes(std::string const& body) {
  return static_cast<std::int64_t>(body.size());
}

/// A creation whose input was checked.
struct checked_incident {
  pages::incident_settings set;
  incident_state state;
  timestamp shown_at{};
};

/// Errors: as `incident_store::create`, but for those of the write.
result<checked_incident> check_new_incident(pages::new_incident const& wanted, postgres::rows const& components,
                                            std::optional<std::int64_t> slot, timestamp now) {
  auto const shown_at = shown_time(wanted.first.display_at, now);
  if (!shown_at) return shown_at.error();
  pages::incident_settings set{.name = wanted.name,
                               .effect = wanted.effect,
                               .components = wanted.components,
                               .started_at = wanted.started_at.value_or(*shown_at)};
  if (auto ok = check_incident(set, components, now); !ok) return ok.error();
  auto const state = state_after(std::nullopt, slot, wanted.first.status, *shown_at);
  if (!state) return state.error();
  return checked_incident{.set = std::move(set), .state = *state, .shown_at = *shown_at};
}

page_key key_of_start(pages::incident const& shown) {
  return {.time = shown.set.started_at, .id = shown.id};
}

}  // namespace

task<result<page<pages::incident>>> incident_store::list(uuid project, uuid page_id, incident_filter filter,
                                                         page_request wanted, deadline until) {
  std::optional<std::string_view> status;
  if (filter.status) status = to_text(*filter.status);
  std::vector<postgres::query> ask{
      {find_page_of_incidents, postgres::parameters(project, page_id)},
      {list_incidents, postgres::parameters(project, page_id, wanted.limit + 1, wanted.offset(), status, filter.open,
                                            wanted.after_time(), wanted.after_id())}};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  if (found[0].empty()) co_return errc::not_found;
  auto out = read_page<pages::incident>(found[1], wanted, 2, read_incident_row, key_of_start);
  auto const ids = postgres::column<uuid>(out.rows, [](pages::incident const& each) { return each.id; });
  if (!ids.empty()) add_incident_posts(settled(co_await db_.run(newest_posts_query(ids), until)), out.rows);
  co_return out;
}

task<result<pages::incident>> incident_store::get(uuid project, uuid page_id, uuid id, deadline until) {
  return read_complete_incident(db_, project, page_id, id, until);
}

task<result<pages::incident>> incident_store::create(editor editor, uuid owner, uuid page_id,
                                                     pages::new_incident wanted, deadline until) {
  uuid const id = uuid::generate_v7(), project = editor.project;
  auto work = co_await db_.begin(until);
  std::vector<postgres::query> reads{lock_project_query(project), lock_page_query(project, page_id),
                                     free_incident_slot_query(page_id),
                                     find_affected_query(page_id, wanted.components)};
  auto const found = settled(co_await work.run(std::move(reads)));
  if (found[1].empty()) co_return errc::not_found;
  if (found[0].empty()) co_return errc::project_archived;
  auto const made = check_new_incident(wanted, found[3], found[2].front().maybe_integer(0), found[1].front().time(0));
  if (!made) co_return made.error();
  std::vector<postgres::query> writes{insert_incident_query(project, page_id, id, owner, made->set, made->state)};
  replace_affected(page_id, id, made->set.components, writes);
  writes.push_back(trim_incidents_query(page_id));
  writes.push_back(raise_shown_query(page_id));
  settled(co_await work.run(std::move(writes)));
  post_row const row{.id = uuid::generate_v7(),
                     .project = project,
                     .parent = id,
                     .page = page_id,
                     .author = owner,
                     .display_at = made->shown_at};
  auto const bytes = post_growth(project, quotas_, post_bytes(wanted.first.body));
  if (auto ok = co_await write_incident_post(work, row, wanted.first, bytes); !ok) co_return ok.error();
  std::vector<postgres::query> last{bytes.assertion(), audited_incident(editor, "created", page_id, id, wanted.name)};
  auto const done = co_await work.commit(std::move(last));
  if (!done) co_return bytes.refusal(done.error());
  co_return co_await read_complete_incident(db_, project, page_id, id, until);
}

task<result<pages::incident>> incident_store::update(editor editor, uuid page_id, uuid id, incident_edit edit,
                                                     deadline until) {
  auto work = co_await db_.begin(until);
  auto const locked = co_await lock_incident(work, editor, page_id, id);
  if (!locked) co_return locked.error();
  if (locked->archived) co_return errc::project_archived;
  auto const wanted = edit(locked->current);
  if (!wanted) co_return wanted.error();
  auto const known = settled(co_await work.run(find_affected_query(page_id, wanted->components)));
  // An incident that started long ago keeps its start.
  auto const oldest = std::min(locked->now, locked->current.set.started_at + pages::oldest_incident_start);
  auto const now = wanted->started_at == locked->current.set.started_at ? oldest : locked->now;
  if (auto ok = check_incident(*wanted, known, now); !ok) co_return ok.error();
  std::vector<postgres::query> last{update_incident_query(id, *wanted)};
  replace_affected(page_id, id, wanted->components, last);
  last.push_back(raise_shown_query(page_id));
  last.push_back(audited_incident(editor, "updated", page_id, id, wanted->name));
  settled(co_await work.commit(std::move(last)));
  co_return co_await read_complete_incident(db_, editor.project, page_id, id, until);
}

task<result<>> incident_store::remove(editor editor, uuid page_id, uuid id, deadline until) {
  auto work = co_await db_.begin(until);
  auto const locked = co_await lock_incident(work, editor, page_id, id);
  if (!locked) co_return locked.error();
  std::vector<postgres::query> last{raise_shown_query(page_id), delete_incident_query(id),
                                    audited_incident(editor, "deleted", page_id, id, locked->current.set.name)};
  settled(co_await work.commit(std::move(last)));
  co_return result<>();
}

task<result<page<pages::stored_post>>> incident_store::list_posts(uuid project, uuid page_id, uuid id,
                                                                  page_request wanted, deadline until) {
  std::vector<postgres::query> ask{
      {get_incident, postgres::parameters(project, page_id, id)},
      {list_incident_posts,
       postgres::parameters(id, wanted.limit + 1, wanted.offset(), wanted.after_time(), wanted.after_id())}};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  if (found[0].empty()) co_return errc::not_found;
  co_return read_page<pages::stored_post>(found[1], wanted, 2, read_post_row, key_of_post);
}

task<result<pages::stored_post>> incident_store::add_post(editor editor, uuid owner, uuid page_id, uuid id,
                                                          pages::new_post wanted, deadline until) {
  auto work = co_await db_.begin(until);
  auto const locked = co_await lock_incident(work, editor, page_id, id);
  if (!locked) co_return locked.error();
  if (locked->archived) co_return errc::project_archived;
  auto const shown_at = shown_time(wanted.display_at, locked->now);
  if (!shown_at) co_return shown_at.error();
  auto const slots = settled(co_await work.run(open_slot_query(page_id, id)));
  auto const state =
      state_after(locked->current.resolved_at, slots.front().maybe_integer(0), wanted.status, *shown_at);
  if (!state) co_return state.error();
  std::vector<postgres::query> writes{set_incident_state_query(id, *state), raise_shown_query(page_id)};
  settled(co_await work.run(std::move(writes)));
  post_row const row{.id = uuid::generate_v7(),
                     .project = editor.project,
                     .parent = id,
                     .page = page_id,
                     .author = owner,
                     .display_at = *shown_at};
  auto const bytes = post_growth(editor.project, quotas_, post_bytes(wanted.body));
  if (auto ok = co_await write_incident_post(work, row, wanted, bytes); !ok) co_return ok.error();
  std::vector<postgres::query> last{trim_incidents_query(page_id),
                                    bytes.assertion(),
                                    audited_post(editor, "created", id, row.id),
                                    {get_incident_post, postgres::parameters(id, row.id)}};
  auto const done = co_await work.commit(std::move(last));
  if (!done) co_return bytes.refusal(done.error());
  co_return read_post_row(done.value().back().front());
}

task<result<pages::stored_post>> incident_store::correct_post(editor editor, uuid page_id, uuid id, uuid post_id,
                                                              pages::post_correction wanted, deadline until) {
  // The incident has a version of its own.
  auto const expected = std::exchange(editor.expected, {});
  auto work = co_await db_.begin(until);
  auto const locked = co_await lock_incident(work, editor, page_id, id);
  if (!locked) co_return locked.error();
  if (locked->archived) co_return errc::project_archived;
  postgres::query const ask{get_incident_post, postgres::parameters(id, post_id)};
  auto const found = settled(co_await work.run(ask));
  if (found.empty()) co_return errc::not_found;
  if (!expected.allows(version_of(read_post_row(found.front())))) co_return errc::precondition_failed;
  if (wanted.display_at) {
    auto const shown_at = shown_time(wanted.display_at, locked->now);
    if (!shown_at) co_return shown_at.error();
    wanted.display_at = *shown_at;
  }
  auto const before = post_bytes(std::string(found.front().text(2)));
  auto const bytes =
      post_growth(editor.project, quotas_, wanted.body ? post_bytes(*wanted.body) - before : std::int64_t(0));
  std::vector<postgres::query> last{raise_shown_query(page_id),
                                    correct_post_query(post_id, wanted),
                                    {raise_incident, postgres::parameters(id)},
                                    bytes.assertion(),
                                    audited_post(editor, "updated", id, post_id),
                                    ask};
  auto const done = co_await work.commit(std::move(last));
  if (!done) co_return bytes.refusal(done.error());
  co_return read_post_row(done.value().back().front());
}

}  // namespace svc::store
