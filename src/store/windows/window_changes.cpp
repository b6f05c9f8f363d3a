// Changes of stored maintenance windows.
#include "store/sql/settled.hpp"
#include "store/windows/occurrence_sql.hpp"
#include "store/windows/window_sql.hpp"
#include "store/windows/window_writes.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/windows/window_store.hpp"

#include <algorithm>
#include <utility>

namespace svc::store {
namespace {

using namespace windows;

constexpr postgres::statement set_active_end{"occurrence_set_end", R"(
UPDATE maintenance_occurrences SET ends_at = $2 WHERE id = $1 AND ends_at <> $2)"};

// Two may be active, after an edit of the rule or a change of the clocks. $2 the time of the end.
constexpr postgres::statement end_active{"occurrence_end_active", R"(
UPDATE maintenance_occurrences SET ends_at = $2 WHERE window_id = $1 AND starts_at < $2 AND ends_at > $2)"};

// A window that happens once has one unfinished occurrence, which keeps its id. $4 the time.
constexpr postgres::statement move_single{"occurrence_move", R"(
UPDATE maintenance_occurrences SET starts_at = $2, ends_at = $3 WHERE window_id = $1 AND ends_at > $4)"};

constexpr postgres::statement set_exclusion{"occurrence_set_exclusion", R"(
UPDATE maintenance_occurrences SET exclude_from_uptime = $2
 WHERE window_id = $1 AND ends_at > $3 AND exclude_from_uptime <> $2)"};

// $3 the time of the end, $4 whether the window is over with it. The end of a single window is that of its rule.
constexpr postgres::statement end_window{"window_end", R"(
UPDATE maintenance_windows
   SET ends_at = CASE WHEN starts_at IS NOT NULL THEN $3::timestamptz END,
       over_at = CASE WHEN $4 THEN $3::timestamptz ELSE over_at END,
       version = version + 1, updated_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

constexpr postgres::statement delete_window{"window_delete",
                                            "DELETE FROM maintenance_windows WHERE project_id = $1 AND id = $2"};

/// A window under the lock of its project.
struct locked_window {
  bool archived = false;
  timestamp now{};
  window current;
  std::optional<timestamp> over_at{}, planned_until{};
};

/// Errors: not_found, precondition_failed.
task<result<locked_window>> lock_window(postgres::unit_of_work& work, editor editor, uuid id) {
  std::vector<postgres::query> reads{lock_windows_query(editor.project),
                                     {get_window, postgres::parameters(editor.project, id)},
                                     window_time_query()};
  auto const found = settled(co_await work.run(std::move(reads)));
  if (found[0].empty() || found[1].empty()) co_return errc::not_found;
  auto const row = found[1].front();
  locked_window out{.archived = found[0].front().boolean(0),
                    .now = found[2].front().time(0),
                    .current = read_window_row(row),
                    .over_at = read_over_at(row),
                    .planned_until = read_planned_until(row)};
  if (!editor.expects(out.current.version)) co_return errc::precondition_failed;
  co_return out;
}

bool has_same_rule(window_settings const& current, window_settings const& wanted) {
  return current.once == wanted.once && current.recurring == wanted.recurring;
}

/// Returns the plan after a change, and appends the writes of its occurrences. A change of the rule plans all
/// occurrences again that have not started.
window_plan write_changed_rule(locked_window const& locked, window_settings const& wanted, uuid project,
                               std::vector<postgres::query>& writes) {
  auto const& current = locked.current;
  if (current.current) {
    writes.push_back(
        {set_active_end, postgres::parameters(current.current->id, end_after_change(current, wanted, locked.now))});
  }
  if (wanted.once && current.set.once) {
    writes.push_back(
        {move_single, postgres::parameters(current.id, wanted.once->starts_at, wanted.once->ends_at, locked.now)});
    return plan_once(*wanted.once);
  }
  std::optional<timestamp> active_until;
  if (current.current) active_until = end_after_change(current, wanted, locked.now);
  auto out =
      wanted.once ? plan_once(*wanted.once) : plan_recurring(*wanted.recurring, locked.now, locked.now, active_until);
  write_occurrences(project, {{current.id, wanted.exclude_from_uptime, out}}, locked.now, writes);
  return out;
}

/// Returns the columns of a plan that stays. An extension may be due; it comes soon then.
window_plan kept_plan(locked_window const& locked) {
  window_plan out{.over_at = locked.over_at};
  if (!locked.current.set.recurring) return out;
  out.planned_until = locked.planned_until;
  out.extend_at = locked.now;
  return out;
}

}  // namespace

task<result<window>> window_store::update(editor editor, uuid id, window_edit edit, deadline until) {
  auto work = co_await db_.begin(until);
  auto const locked = co_await lock_window(work, editor, id);
  if (!locked) co_return locked.error();
  if (locked->archived) co_return errc::project_archived;
  auto const& current = locked->current;
  if (current.state == window_state::finished) co_return errc::window_over;
  auto const wanted = edit(current);
  if (!wanted) co_return wanted.error();
  if (auto ok = check_change(current, *wanted, locked->now); !ok) co_return ok.error();
  std::vector<postgres::query> reads;
  look_for_targets(editor.project, id, wanted->targets, reads);
  reads.push_back(lock_covered_query(editor.project, id, wanted->targets));
  look_for_publication(editor.project, wanted->shown, reads);
  auto const found = settled(co_await work.run(std::move(reads)));
  if (auto ok = check_targets_known(wanted->targets, found[0], found[1]); !ok) co_return ok.error();
  if (auto ok = check_publication_known(wanted->shown, found[3], found[4]); !ok) co_return ok.error();
  std::vector<postgres::query> last;
  auto const plan = has_same_rule(current.set, *wanted) ? kept_plan(*locked)
                                                        : write_changed_rule(*locked, *wanted, editor.project, last);
  last.push_back(update_window_query(editor.project, id, *wanted, plan));
  if (wanted->targets != current.set.targets) replace_targets(editor.project, id, wanted->targets, last);
  last.push_back({set_exclusion, postgres::parameters(id, wanted->exclude_from_uptime, locked->now)});
  if (wanted->shown != current.set.shown) replace_publication(editor.project, id, wanted->shown, last);
  if (!wanted->shown.status_pages.empty() || !current.set.shown.status_pages.empty())
    last.push_back(publish_windows_query({id}));
  touch_monitors(read_ids(found[2]), last);
  last.push_back(audited_window(editor, "updated", id, *wanted));
  last.push_back({get_window, postgres::parameters(editor.project, id)});
  auto const done = co_await work.commit(std::move(last));
  if (!done) co_return refusal_of_window(done.error());
  co_return read_window_row(done.value().back().front());
}

task<result<window>> window_store::end(editor editor, uuid id, deadline until) {
  auto work = co_await db_.begin(until);
  auto const locked = co_await lock_window(work, editor, id);
  if (!locked) co_return locked.error();
  auto const& current = locked->current;
  if (!current.current) co_return errc::window_not_active;
  auto const covered = settled(co_await work.run(lock_covered_query(editor.project, id, current.set.targets)));
  // An interval is never empty, even if the window started within this microsecond.
  auto const ended = std::max(locked->now, current.current->starts_at + std::chrono::microseconds(1));
  bool const over = locked->over_at == current.current->ends_at;
  std::vector<postgres::query> last{{end_active, postgres::parameters(id, ended)},
                                    {end_window, postgres::parameters(editor.project, id, ended, over)}};
  retire_windows(editor.project, last);
  touch_monitors(read_ids(covered), last);
  last.push_back(audited_window(editor, "ended", id, current.set));
  last.push_back({get_window, postgres::parameters(editor.project, id)});
  auto const done = settled(co_await work.commit(std::move(last)));
  co_return read_window_row(done.back().front());
}

task<result<>> window_store::remove(editor editor, uuid id, deadline until) {
  auto work = co_await db_.begin(until);
  auto const locked = co_await lock_window(work, editor, id);
  if (!locked) co_return locked.error();
  auto const& set = locked->current.set;
  auto const covered = settled(co_await work.run(lock_covered_query(editor.project, id, set.targets)));
  std::vector<postgres::query> last{{delete_window, postgres::parameters(editor.project, id)}};
  touch_monitors(read_ids(covered), last);
  last.push_back(audited_window(editor, "deleted", id, set));
  settled(co_await work.commit(std::move(last)));
  co_return result<>();
}

}  // namespace svc::store
