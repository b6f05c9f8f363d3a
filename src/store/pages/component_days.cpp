// The stored days of components.
#include "store/pages/day_rows.hpp"
#include "store/sql/settled.hpp"
#include "svc/domain/pages/days.hpp"
#include "svc/domain/pages/settings.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/pages/page_maintenance_store.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace svc::store {
namespace {

/// Time for the last results of a day to be written.
constexpr std::chrono::minutes day_settles{10};
constexpr std::int64_t days_at_once = 31;

constexpr postgres::statement find_due_components{"days_due", R"(
SELECT c.id FROM page_components c WHERE c.days_due_at <= statement_timestamp() ORDER BY c.days_due_at LIMIT $1)"};

constexpr postgres::statement lock_due_component{"days_lock", R"(
SELECT c.aggregation, (c.days_until - date '1970-01-01')::bigint, p.time_zone, clock_timestamp(),
       ARRAY(SELECT t.monitor_id FROM page_component_monitors t WHERE t.component_id = c.id ORDER BY t.slot)
  FROM page_components c JOIN status_pages p ON p.id = c.page_id
 WHERE c.id = $1 AND c.days_due_at <= clock_timestamp()
   FOR NO KEY UPDATE OF c SKIP LOCKED)"};

// $2 and $3: the period. Incidents and maintenance that gave the component a status in it.
constexpr postgres::statement read_periods{"days_periods", R"(
SELECT i.started_at, coalesce(i.resolved_at, clock_timestamp()), k.status
  FROM incident_components k JOIN incidents i ON i.id = k.incident_id
 WHERE k.component_id = $1 AND i.started_at < $3 AND coalesce(i.resolved_at, 'infinity') > $2
UNION ALL
SELECT o.starts_at, o.ends_at, 'under_maintenance'
  FROM page_components c JOIN page_occurrences o ON o.page_id = c.page_id
 WHERE c.id = $1 AND c.id = ANY (o.components) AND o.starts_at < $3 AND o.ends_at > $2 AND o.cancelled_at IS NULL)"};

constexpr postgres::statement insert_days{"days_insert", R"(
INSERT INTO page_component_days (component_id, day, worst, up_seconds, down_seconds)
SELECT $1, date '1970-01-01' + d.day::integer, d.worst, d.up, d.down
  FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[]) d (day, worst, up, down)
ON CONFLICT DO NOTHING)"};

constexpr postgres::statement delete_oldest_days{"days_delete", R"(
DELETE FROM page_component_days
 WHERE component_id = $1
   AND day <= (SELECT d.day FROM page_component_days d WHERE d.component_id = $1 ORDER BY d.day DESC OFFSET $2 LIMIT 1))"};

constexpr postgres::statement set_days_due{"days_set_due", R"(
UPDATE page_components
   SET days_until = coalesce(date '1970-01-01' + $2::integer, days_until), days_due_at = $3
 WHERE id = $1)"};

/// A component with its finished days that are not stored.
struct due_component {
  uuid id{};
  pages::aggregation rule = pages::aggregation::worst_case;
  std::vector<uuid> monitors{};
  timestamp now{};
  std::vector<pages::local_day> days{};
  timestamp due_at{};  ///< when the next day can be stored
};

due_component read_due_component(uuid id, postgres::row r) {
  auto const rule = pages::aggregation_of(r.text(0));
  if (!rule) throw std::logic_error("unknown aggregation of a component");
  due_component out{.id = id, .rule = *rule, .monitors = r.ids(4), .now = r.time(3)};
  std::string const zone(r.text(2));
  timestamp const settled_until{out.now.micros - std::chrono::microseconds(day_settles).count()};
  auto const today = pages::day_of_moment(zone, settled_until);
  auto const oldest = today.day - static_cast<std::int64_t>(pages::most_days) + 1;
  auto const first = std::max(oldest, r.maybe_integer(1).value_or(oldest - 1) + 1);
  auto const last = std::min(today.day, first + days_at_once);
  for (auto day = first; day < last; ++day) out.days.push_back(pages::day_in_zone(zone, day));
  out.due_at = last < today.day ? out.now : today.ends_at + day_settles;
  return out;
}

std::vector<pages::status_period> read_periods_of(postgres::rows const& found) {
  std::vector<pages::status_period> out;
  for (int i = 0; i < found.size(); ++i) {
    auto const status = pages::component_status_of(found[i].text(2));
    out.push_back({found[i].time(0), found[i].time(1), status.value_or(pages::component_status::operational)});
  }
  return out;
}

/// `found`: the rows of the periods, then those of `ask_monitor_days`.
postgres::query insert_days_query(due_component const& component, std::vector<postgres::rows> const& found) {
  auto const periods = read_periods_of(found[0]);
  auto const monitors = read_monitor_days(std::span(found).subspan(1), component.days);
  std::vector<pages::day_bar> bars;
  for (std::size_t i = 0; i < component.days.size(); ++i)
    bars.push_back(pages::bar_of_day(days_of_monitors(monitors, component.monitors, i), component.rule, periods,
                                     component.days[i], component.days[i].ends_at));
  postgres::parameters values(component.id);
  values.add_array(component.days, [](pages::local_day const& day) { return day.day; });
  values.add_array(bars, [](pages::day_bar const& bar) { return to_text(bar.worst); });
  values.add_array(bars, [](pages::day_bar const& bar) { return static_cast<std::int64_t>(bar.up_seconds); });
  values.add_array(bars, [](pages::day_bar const& bar) { return static_cast<std::int64_t>(bar.down_seconds); });
  return {insert_days, std::move(values)};
}

}  // namespace

task<std::vector<uuid>> page_maintenance_store::components_due(deadline until) {
  postgres::query ask{find_due_components, postgres::parameters(most_at_once)};
  co_return read_ids(settled(co_await db_.run(std::move(ask), until)));
}

task<> page_maintenance_store::store_days(uuid component, deadline until) {
  auto work = co_await db_.begin(until);
  postgres::query lock{lock_due_component, postgres::parameters(component)};
  auto const locked = settled(co_await work.run(std::move(lock)));
  if (locked.empty()) co_return;
  auto const due = read_due_component(component, locked.front());
  std::vector<postgres::query> last;
  std::optional<std::int64_t> stored;
  if (!due.days.empty()) {
    stored = due.days.back().day;
    std::vector<postgres::query> reads{
        {read_periods, postgres::parameters(component, due.days.front().starts_at, due.days.back().ends_at)}};
    ask_monitor_days(due.monitors, due.days, due.now, reads);
    last.push_back(insert_days_query(due, settled(co_await work.run(std::move(reads)))));
    last.push_back({delete_oldest_days, postgres::parameters(component, pages::most_kept_days)});
  }
  last.push_back({set_days_due, postgres::parameters(component, stored, due.due_at)});
  settled(co_await work.commit(std::move(last)));
}

}  // namespace svc::store
