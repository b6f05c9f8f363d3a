#include "svc/store/pages/component_store.hpp"

#include "store/pages/component_sql.hpp"
#include "store/pages/status_page_sql.hpp"
#include "store/pages/status_rows.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

#include <utility>

namespace svc::store {
namespace {

// $2 the page, $3 limit + 1, $4 offset, $5 and $6 the key to start after: position and microseconds of the creation,
// and id. A client may send any other text. A page has at most 100 components.
constexpr auto list_components_sql = paged_sql(
    "page_components c WHERE c.page_id = $2 AND c.project_id = $1::uuid", no_estimate, "",
    sql(component_columns,
        "FROM page_components c WHERE c.page_id = $2 AND c.project_id = $1"
        " AND (c.position, c.created_at, c.id) > "
        "(coalesce(substring($5::text FROM '^([0-9]{1,9}) ')::int, -1),"
        " coalesce(timestamptz 'epoch' + substring($5 FROM ' ([0-9]{1,18})$')::bigint * interval '1 microsecond',"
        " '-infinity'), coalesce($6::uuid, '00000000-0000-0000-0000-000000000000'))"
        " ORDER BY c.position, c.created_at, c.id LIMIT $3 OFFSET $4"));
constexpr postgres::statement list_components{"component_list", list_components_sql};

constexpr postgres::statement find_live_page{"component_find_page", R"(
SELECT FROM status_pages WHERE project_id = $1 AND id = $2 AND deleted_at IS NULL)"};

// Automation follows components, so it would never resolve the incident of a deleted one.
constexpr postgres::statement end_automatic_incident{"component_end_incident", R"(
UPDATE incidents
   SET status = 'resolved', resolved_at = clock_timestamp(), slot = NULL, version = version + 1,
       updated_at = clock_timestamp()
 WHERE page_id = $1 AND component_id = $2 AND automatic AND NOT person_posted AND resolved_at IS NULL)"};

postgres::query audited_component(editor const& editor, std::string_view verb, uuid page, uuid id,
                                  std::string_view name) {
  boost::json::object const details{{"statusPageId", page.to_string()}, {"name", name}};
  return audit_query(
      editor.entry("component." + std::string(verb), "component", id, boost::json::serialize(details)));
}

/// Reads the component after its COMMIT, with its status.
task<result<pages::component>> read_complete_component(postgres::pool& db, uuid project, uuid page, uuid id,
                                                       deadline until) {
  std::vector<postgres::query> ask{{get_component, postgres::parameters(project, page, id)}};
  ask_statuses({page}, ask);
  auto const found = settled(co_await db.run(std::move(ask), until));
  if (found[0].empty()) co_return errc::not_found;
  auto out = read_component_row(found[0].front());
  out.status = read_statuses(std::span(found).subspan(1)).status(page, id);
  co_return out;
}

/// Writes the monitors of a component whose row was written. Errors: component_limit_reached.
task<result<>> write_component_monitors(postgres::unit_of_work& work, uuid page, uuid id,
                                        std::vector<uuid> monitors) {
  std::vector<postgres::query> writes;
  replace_component_monitors(page, id, monitors, writes);
  auto const done = settled(co_await work.run(std::move(writes)));
  if (done[1].affected() == static_cast<std::int64_t>(monitors.size())) co_return result<>();
  co_return errc::component_limit_reached;
}

/// A component under the lock of its page.
struct locked_component {
  bool archived = false;
  pages::component current;
};

/// Errors: not_found, precondition_failed.
task<result<locked_component>> lock_component(postgres::unit_of_work& work, editor editor, uuid page, uuid id) {
  std::vector<postgres::query> reads{lock_project_query(editor.project),
                                     lock_page_query(editor.project, page),
                                     {get_component, postgres::parameters(editor.project, page, id)}};
  auto const found = settled(co_await work.run(std::move(reads)));
  if (found[1].empty() || found[2].empty()) co_return errc::not_found;
  locked_component out{.archived = found[0].empty(), .current = read_component_row(found[2].front())};
  if (!editor.expects(out.current.version)) co_return errc::precondition_failed;
  co_return out;
}

page_key key_of_position(pages::component const& shown) {
  return {.text = std::to_string(shown.set.position) + " " + std::to_string(shown.created_at.micros), .id = shown.id};
}

}  // namespace

task<result<page<pages::component>>> component_store::list(uuid project, uuid page_id, page_request wanted,
                                                           deadline until) {
  std::vector<postgres::query> ask{
      {find_live_page, postgres::parameters(project, page_id)},
      {list_components, postgres::parameters(project, page_id, wanted.limit + 1, wanted.offset(), wanted.after_text(),
                                             wanted.after_id())}};
  ask_statuses({page_id}, ask);
  auto const found = settled(co_await db_.run(std::move(ask), until));
  if (found[0].empty()) co_return errc::not_found;
  auto out = read_page<pages::component>(found[1], wanted, 2, read_component_row, key_of_position);
  auto const statuses = read_statuses(std::span(found).subspan(2));
  for (auto& each : out.rows) each.status = statuses.status(page_id, each.id);
  co_return out;
}

task<result<pages::component>> component_store::get(uuid project, uuid page_id, uuid id, deadline until) {
  return read_complete_component(db_, project, page_id, id, until);
}

task<result<pages::component>> component_store::create(editor editor, uuid page_id, pages::component_settings wanted,
                                                       deadline until) {
  uuid const id = uuid::generate_v7();
  auto work = co_await db_.begin(until);
  std::vector<postgres::query> reads{lock_project_query(editor.project), lock_page_query(editor.project, page_id),
                                     find_component_monitors_query(editor.project, id, wanted.monitors),
                                     free_component_slot_query(page_id)};
  auto const found = settled(co_await work.run(std::move(reads)));
  if (found[1].empty()) co_return errc::not_found;
  if (found[0].empty()) co_return errc::project_archived;
  if (auto ok = check_component_monitors(wanted.monitors, found[2]); !ok) co_return ok.error();
  auto const slot = found[3].front().maybe_integer(0);
  if (!slot) co_return errc::component_limit_reached;
  settled(co_await work.run(insert_component_query(editor.project, page_id, id, *slot, wanted)));
  auto const fits = co_await write_component_monitors(work, page_id, id, wanted.monitors);
  if (!fits) co_return fits.error();
  std::vector<postgres::query> last{raise_shown_query(page_id),
                                    audited_component(editor, "created", page_id, id, wanted.name)};
  settled(co_await work.commit(std::move(last)));
  co_return co_await read_complete_component(db_, editor.project, page_id, id, until);
}

task<result<pages::component>> component_store::update(editor editor, uuid page_id, uuid id, component_edit edit,
                                                       deadline until) {
  auto work = co_await db_.begin(until);
  auto const locked = co_await lock_component(work, editor, page_id, id);
  if (!locked) co_return locked.error();
  if (locked->archived) co_return errc::project_archived;
  auto const& current = locked->current;
  auto const wanted = edit(current);
  if (!wanted) co_return wanted.error();
  if (wanted->monitors != current.set.monitors) {
    auto const known =
        settled(co_await work.run(find_component_monitors_query(editor.project, id, wanted->monitors)));
    if (auto ok = check_component_monitors(wanted->monitors, known); !ok) co_return ok.error();
    auto const fits = co_await write_component_monitors(work, page_id, id, wanted->monitors);
    if (!fits) co_return fits.error();
  }
  std::vector<postgres::query> last{update_component_query(page_id, id, *wanted), raise_shown_query(page_id),
                                    audited_component(editor, "updated", page_id, id, wanted->name)};
  settled(co_await work.commit(std::move(last)));
  co_return co_await read_complete_component(db_, editor.project, page_id, id, until);
}

task<result<>> component_store::remove(editor editor, uuid page_id, uuid id, deadline until) {
  auto work = co_await db_.begin(until);
  auto const locked = co_await lock_component(work, editor, page_id, id);
  if (!locked) co_return locked.error();
  std::vector<postgres::query> last{{end_automatic_incident, postgres::parameters(page_id, id)},
                                    delete_component_query(page_id, id),
                                    raise_shown_query(page_id),
                                    audited_component(editor, "deleted", page_id, id, locked->current.set.name)};
  settled(co_await work.commit(std::move(last)));
  co_return result<>();
}

}  // namespace svc::store
