#include "svc/store/windows/occurrence_store.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/windows/occurrence_sql.hpp"
#include "svc/core/log.hpp"
#include "svc/domain/cron.hpp"
#include "svc/domain/monitoring/windows/plan.hpp"
#include "svc/postgres/pool.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace svc::store {
namespace {

using namespace windows;

/// The holders of its monitors are notified of a change of an occurrence that starts sooner. They read changes of
/// later occurrences in time by themselves.
constexpr std::chrono::hours near_future{96};
constexpr std::chrono::hours zone_retry{1};

// Each part reads its index from the longest due window on. $1 the number of projects.
constexpr postgres::statement find_due_projects{"occurrence_due_projects", R"(
SELECT project_id FROM (
  (SELECT project_id, extend_at AS due_at FROM maintenance_windows
    WHERE over_at IS NULL AND extend_at <= statement_timestamp() ORDER BY extend_at LIMIT 2000)
  UNION ALL
  (SELECT project_id, over_at FROM maintenance_windows
    WHERE slot IS NOT NULL AND over_at <= statement_timestamp() ORDER BY over_at LIMIT 2000)) due
 GROUP BY project_id ORDER BY min(due_at) LIMIT $1)"};

constexpr postgres::statement try_lock_windows{"window_try_lock_project", R"(
SELECT FROM projects WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED)"};

constexpr postgres::statement count_to_free{"window_count_to_free", R"(
SELECT count(*) FROM maintenance_windows
 WHERE project_id = $1 AND slot IS NOT NULL AND over_at <= statement_timestamp())"};

// The last end of the started occurrences is that of the window if no other one follows. At most two overlap.
constexpr postgres::statement read_due_windows{"occurrence_due_windows", R"(
SELECT w.id, w.cron, w.time_zone, w.duration_minutes, w.first_at, w.until_at, w.exclude_from_uptime, w.planned_until,
       (SELECT max(n.ends_at) FROM (
          SELECT o.ends_at FROM maintenance_occurrences o
           WHERE o.window_id = w.id AND o.starts_at <= statement_timestamp() ORDER BY o.starts_at DESC LIMIT 2) n)
  FROM maintenance_windows w
 WHERE w.project_id = $1 AND w.over_at IS NULL AND w.extend_at <= statement_timestamp()
 ORDER BY w.extend_at LIMIT 100)"};

constexpr postgres::statement write_plans{"window_write_plans", R"(
UPDATE maintenance_windows w
   SET planned_until = p.planned_until, extend_at = p.extend_at, over_at = p.over_at
  FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[])
       p (id, planned_until, extend_at, over_at)
 WHERE w.id = p.id)"};

// $2 windows.
constexpr postgres::statement lock_covered_by_all{"window_lock_covered_by_all", R"(
SELECT m.id FROM monitors m
 WHERE m.id = ANY (ARRAY(SELECT c.id FROM unnest($2::uuid[]) w (id)
                          CROSS JOIN LATERAL monitors_of_window($1, w.id) c (id)))
 ORDER BY m.id FOR NO KEY UPDATE)"};

constexpr postgres::statement publish_extended{"window_publish_extended", "SELECT publish_windows($1)"};

/// A recurring window whose next occurrences are due.
struct due_window {
  uuid id{};
  recurring_rule rule;
  bool excludes = true;
  timestamp planned_until{};
  std::optional<timestamp> newest_end{};
};

due_window read_due_window(postgres::row r) {
  return {.id = r.id(0),
          .rule = {.cron = std::string(r.text(1)),
                   .time_zone = std::string(r.text(2)),
                   .duration = std::chrono::minutes(r.integer(3)),
                   .first_at = r.maybe_time(4),
                   .until = r.maybe_time(5)},
          .excludes = r.boolean(6),
          .planned_until = r.time(7),
          .newest_end = r.maybe_time(8)};
}

/// Plans a window anew. A zone that this system does not know leaves the window as it is for a while, because another
/// instance may know it.
std::optional<window_plan> plan_of(due_window const& window, timestamp now) {
  if (!is_time_zone(window.rule.time_zone)) {
    log::warn("the time zone of a maintenance window is unknown; its occurrences are not extended",
              {{"window", window.id.to_string()}, {"zone", window.rule.time_zone}});
    return std::nullopt;
  }
  return plan_recurring(window.rule, extension_start(window.rule, window.planned_until, now), now, window.newest_end);
}

/// The windows of a project that were due, with their plans.
struct extension {
  std::vector<planned_window> planned{};
  std::vector<planned_window> all{};  ///< also those that were left as they are
};

extension extension_of(postgres::rows const& due, timestamp now) {
  extension out;
  for (int i = 0; i < due.size(); ++i) {
    auto const window = read_due_window(due[i]);
    if (auto plan = plan_of(window, now)) {
      out.planned.push_back({window.id, window.excludes, std::move(*plan)});
      out.all.push_back(out.planned.back());
    } else {
      out.all.push_back(
          {window.id, window.excludes, {.planned_until = window.planned_until, .extend_at = now + zone_retry}});
    }
  }
  return out;
}

postgres::query write_plans_query(std::vector<planned_window> const& all) {
  postgres::parameters values;
  values.add_array(all, [](planned_window const& each) { return each.id; });
  values.add_array(all, [](planned_window const& each) { return each.plan.planned_until; });
  values.add_array(all, [](planned_window const& each) { return each.plan.extend_at; });
  values.add_array(all, [](planned_window const& each) { return each.plan.over_at; });
  return {write_plans, std::move(values)};
}

postgres::query publish_extended_query(std::vector<planned_window> const& planned) {
  return {publish_extended,
          postgres::parameters(postgres::column<uuid>(planned, [](planned_window const& each) { return each.id; }))};
}

/// Returns the windows with changed occurrences in the near future, by the rows of `write_occurrences`.
std::vector<uuid> changed_soon(std::vector<postgres::rows> const& written, timestamp now) {
  std::vector<uuid> out;
  for (std::size_t part = 0; part < occurrence_changes; ++part) {
    for (int i = 0; i < written[part].size(); ++i) {
      auto const row = written[part][i];
      if (row.time(1) <= now + near_future) out.push_back(row.id(0));
    }
  }
  std::ranges::sort(out);
  auto const repeats = std::ranges::unique(out);
  out.erase(repeats.begin(), repeats.end());
  return out;
}

}  // namespace

task<std::vector<uuid>> occurrence_store::due_projects(deadline until) {
  postgres::query ask{find_due_projects, postgres::parameters(most_projects)};
  co_return read_ids(settled(co_await db_.run(std::move(ask), until)));
}

task<std::int64_t> occurrence_store::extend(uuid project, deadline until) {
  auto work = co_await db_.begin(until);
  std::vector<postgres::query> reads{{try_lock_windows, postgres::parameters(project)},
                                     window_time_query(),
                                     {count_to_free, postgres::parameters(project)},
                                     {read_due_windows, postgres::parameters(project)}};
  auto const found = settled(co_await work.run(std::move(reads)));
  if (found[0].empty()) co_return 0;
  auto const now = found[1].front().time(0);
  auto const made = extension_of(found[3], now);
  std::vector<postgres::query> writes;
  write_occurrences(project, made.planned, now, writes, announced_fate::kept);
  writes.push_back(write_plans_query(made.all));
  writes.push_back(publish_extended_query(made.planned));
  retire_windows(project, writes);
  auto const written = settled(co_await work.run(std::move(writes)));
  std::vector<postgres::query> last;
  if (auto const changed = changed_soon(written, now); !changed.empty()) {
    postgres::query const lock{lock_covered_by_all, postgres::parameters(project, changed)};
    touch_monitors(read_ids(settled(co_await work.run(lock))), last);
  }
  settled(co_await work.commit(std::move(last)));
  if (found[2].front().integer(0) > 0) report_changes(finished_, "maintenance_window", {project});
  co_return static_cast<std::int64_t>(made.planned.size());
}

}  // namespace svc::store
