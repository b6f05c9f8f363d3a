#include "svc/store/windows/window_store.hpp"

#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "store/windows/occurrence_sql.hpp"
#include "store/windows/window_sql.hpp"
#include "store/windows/window_writes.hpp"
#include "svc/postgres/pool.hpp"

#include <utility>

namespace svc::store {
namespace {

using namespace windows;

// $2 limit + 1, $3 offset, $4 and $5 the key to start after, $6 state, $7 monitor. A project has at most 1 100
// windows, so filtered ones are read in order.
constexpr auto wanted_windows =
    sql("w.project_id = $1 AND ($6::text IS NULL OR $6 = ", state_of_window,
        ") AND ($7::uuid IS NULL OR (EXISTS (SELECT FROM monitors m WHERE m.project_id = $1 AND m.id = $7"
        " AND m.deleted_at IS NULL) AND (w.all_monitors"
        " OR EXISTS (SELECT FROM maintenance_targets t WHERE t.window_id = w.id AND t.monitor_id = $7)"
        " OR EXISTS (SELECT FROM maintenance_targets t JOIN monitor_tags g ON g.tag_id = t.tag_id"
        " WHERE t.window_id = w.id AND g.monitor_id = $7))))");
constexpr auto list_windows_sql = paged_sql(
    sql("maintenance_windows w WHERE ", wanted_windows), no_estimate, "",
    sql(window_columns, window_tables, "WHERE ", wanted_windows, rows_before("w.created_at, w.id", "$4", "$5"),
        " ORDER BY w.created_at DESC, w.id DESC LIMIT $2 OFFSET $3"));
constexpr postgres::statement list_windows{"window_list", list_windows_sql};

constexpr postgres::statement free_window_slot{"window_free_slot", R"(
SELECT min(n)::int8 FROM generate_series(1, 100) n
 WHERE NOT EXISTS (SELECT FROM maintenance_windows w WHERE w.project_id = $1 AND w.slot = n))"};

constexpr postgres::statement read_monitor_name{"window_monitor_name", R"(
SELECT name FROM monitors WHERE project_id = $1 AND id = $2 AND deleted_at IS NULL)"};

window_plan first_plan(window_settings const& set, timestamp now) {
  return set.once ? plan_once(*set.once) : plan_recurring(*set.recurring, now, now);
}

/// The rows that a creation reads under the lock, in the order of `creation_reads`.
struct creation_facts {
  bool archived;
  timestamp now;
  std::optional<std::int64_t> slot;
};

std::vector<postgres::query> creation_reads(uuid project) {
  std::vector<postgres::query> out{lock_windows_query(project)};
  retire_windows(project, out);
  out.push_back(window_time_query());
  out.push_back({free_window_slot, postgres::parameters(project)});
  return out;
}

creation_facts read_creation(std::vector<postgres::rows> const& found) {
  auto const& locked = found.front();
  return {.archived = locked.empty() || locked.front().boolean(0),
          .now = found[found.size() - 2].front().time(0),
          .slot = found.back().front().maybe_integer(0)};
}

/// Writes a window whose settings are valid. Errors: validation_failed (unknown targets).
task<result<window>> write_new(postgres::unit_of_work& work, editor editor, uuid owner, window_settings set,
                               creation_facts facts) {
  uuid const id = uuid::generate_v7();
  uuid const project = editor.project;
  std::vector<postgres::query> reads;
  look_for_targets(project, id, set.targets, reads);
  reads.push_back(lock_covered_query(project, id, set.targets));
  look_for_publication(project, set.shown, reads);
  auto const found = settled(co_await work.run(std::move(reads)));
  if (auto ok = check_targets_known(set.targets, found[0], found[1]); !ok) co_return ok.error();
  if (auto ok = check_publication_known(set.shown, found[3], found[4]); !ok) co_return ok.error();
  auto const plan = first_plan(set, facts.now);
  std::vector<postgres::query> last{insert_window_query({id, project, owner, set, plan, *facts.slot})};
  insert_targets(project, id, set.targets, last);
  write_occurrences(project, {{id, set.exclude_from_uptime, plan}}, facts.now, last);
  if (!set.shown.status_pages.empty()) {
    replace_publication(project, id, set.shown, last);
    last.push_back(publish_windows_query({id}));
  }
  touch_monitors(read_ids(found[2]), last);
  last.push_back(audited_window(editor, "created", id, set));
  last.push_back({get_window, postgres::parameters(project, id)});
  auto const done = co_await work.commit(std::move(last));
  if (!done) co_return refusal_of_window(done.error());
  co_return read_window_row(done.value().back().front());
}

}  // namespace

task<page<window>> window_store::list(uuid project, window_filter filter, page_request wanted, deadline until) {
  std::optional<std::string> state;
  if (filter.state) state = name_of(*filter.state);
  postgres::query ask{list_windows,
                      postgres::parameters(project, wanted.limit + 1, wanted.offset(), wanted.after_time(),
                                           wanted.after_id(), state, filter.monitor)};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_page<window>(found, wanted, 2, read_window_row, created_key<window>);
}

task<result<window>> window_store::get(uuid project, uuid id, deadline until) {
  return read_one<window>(db_.run({get_window, postgres::parameters(project, id)}, until),
                          [](postgres::row r, int first) { return read_window_row(r, first); });
}

task<result<window>> window_store::create(editor editor, uuid owner, window_settings wanted, deadline until) {
  auto work = co_await db_.begin(until);
  auto const facts = read_creation(settled(co_await work.run(creation_reads(editor.project))));
  if (facts.archived) co_return errc::project_archived;
  if (auto ok = check_settings(wanted, facts.now); !ok) co_return ok.error();
  if (!facts.slot) co_return errc::window_limit_reached;
  co_return co_await write_new(work, std::move(editor), owner, std::move(wanted), facts);
}

task<result<window>> window_store::start(editor editor, uuid owner, uuid monitor, std::chrono::minutes duration,
                                         std::optional<std::string> description, deadline until) {
  auto work = co_await db_.begin(until);
  auto reads = creation_reads(editor.project);
  reads.insert(reads.begin() + 1, {read_monitor_name, postgres::parameters(editor.project, monitor)});
  auto const found = settled(co_await work.run(std::move(reads)));
  auto const facts = read_creation(found);
  if (facts.archived) co_return errc::project_archived;
  if (found[1].empty()) co_return errc::not_found;
  if (!facts.slot) co_return errc::window_limit_reached;
  window_settings set{.name = std::string(found[1].front().text(0)),
                      .description = std::move(description),
                      .targets = {.monitors = {monitor}},
                      .once = single_rule{.starts_at = facts.now, .ends_at = facts.now + duration}};
  co_return co_await write_new(work, std::move(editor), owner, std::move(set), facts);
}

}  // namespace svc::store
