#include "store/pages/day_rows.hpp"

#include <algorithm>
#include <utility>

namespace svc::store {
namespace {

constexpr std::int64_t hour_of_day_micros = 3'600'000'000;
/// Hours of results are kept for 40 days at least; the newest one may not be whole.
constexpr std::int64_t hours_of_days = 38 * 24;
/// Results that are older are packed, unless packing is late; then the days are stored before.
constexpr std::int64_t unpacked_hours = 48;

// $1 monitors; $2 to $4 for each day: first hour, hour after the last, UTC day. $5 the first hour that is read from
// hours, $6 the first hour that may have single results, $7 now in milliseconds.
constexpr postgres::statement read_observed_days{"page_observed_days", R"(
SELECT m.id, d.n, o.observed
  FROM unnest($1::uuid[]) m (id)
 CROSS JOIN unnest($2::bigint[], $3::bigint[], $4::bigint[]) WITH ORDINALITY d (first, beyond, day, n)
 CROSS JOIN LATERAL (
   SELECT sum(p.observed)::bigint AS observed FROM (
     SELECT h.observed FROM check_hours h
      WHERE d.first >= $5::bigint
        AND h.ring = ANY (ARRAY[(d.first / 24 % 40)::smallint, ((d.beyond - 1) / 24 % 40)::smallint])
        AND h.monitor_id = m.id AND h.hour >= d.first AND h.hour < d.beyond
     UNION ALL
     SELECT y.observed FROM check_days y WHERE d.first < $5::bigint AND y.monitor_id = m.id AND y.day = d.day
     UNION ALL
     SELECT least(r.covers, greatest(0, ($7::bigint - r.started_ms) / 1000))
       FROM check_packing k
       JOIN check_raw r ON (r.hour, r.monitor_id) > (k.hour, coalesce(k.after,
                                                     '00000000-0000-0000-0000-000000000000'::uuid))
      WHERE d.beyond > $6::bigint AND r.monitor_id = m.id AND r.started_ms >= (d.first - 1) * 3600000
        AND r.started_ms < d.beyond * 3600000 AND r.hour >= d.first AND r.hour < d.beyond) p) o
 WHERE o.observed > 0)"};

// $2 and $3: the period; $4: outages of a monitor, the newest first. An open outage lasts until now, and its known
// time is the time that a location has covered. Outages of a monitor do not overlap, so of those that started before
// only the newest can reach into the period.
constexpr postgres::statement read_outage_days{"page_outage_days", R"(
SELECT o.monitor_id, o.started_at, coalesce(o.ended_at, now.at),
       CASE WHEN o.ended_at IS NOT NULL THEN o.excluded_seconds
            ELSE greatest(0, floor(extract(epoch FROM now.at - o.started_at))::bigint
                             - coalesce((SELECT max(c.covered) FROM check_states c
                                          WHERE c.monitor_id = o.monitor_id), 0)) END
  FROM (SELECT clock_timestamp() AS at) now CROSS JOIN unnest($1::uuid[]) w (id) CROSS JOIN LATERAL (
    SELECT * FROM (SELECT i.* FROM outages i WHERE i.monitor_id = w.id AND i.started_at >= $2 AND i.started_at < $3
                    ORDER BY i.started_at DESC LIMIT $4) i
    UNION ALL
    SELECT * FROM (SELECT b.* FROM outages b WHERE b.monitor_id = w.id AND b.started_at < $2
                    ORDER BY b.started_at DESC, b.id DESC LIMIT 1) b
     WHERE coalesce(b.ended_at, 'infinity') > $2) o)"};

/// Outages of all monitors that are read at once. A monitor has 10 000 at most, but a page has 1 000 monitors.
constexpr std::int64_t most_read_outages = 200'000, most_outages_of_monitor = 10'000;

std::int64_t outages_of_each(std::size_t monitors) {
  return std::min(most_outages_of_monitor,
                  most_read_outages / std::max<std::int64_t>(1, static_cast<std::int64_t>(monitors)));
}

std::int64_t hour_from(timestamp moment) {
  return (moment.micros + hour_of_day_micros - 1) / hour_of_day_micros;
}

pages::down_period read_down(postgres::row r) {
  auto const start = r.time(1), end = std::max(start, r.time(2));
  auto const lasted = end.micros - start.micros;
  auto const known = std::max<std::int64_t>(0, lasted - r.integer(3) * 1'000'000);
  return {start, end, lasted > 0 ? static_cast<double>(known) / static_cast<double>(lasted) : 0};
}

}  // namespace

void ask_monitor_days(std::vector<uuid> const& monitors, std::vector<pages::local_day> const& days, timestamp now,
                      std::vector<postgres::query>& queries) {
  auto const hour = now.micros / hour_of_day_micros;
  postgres::parameters observed(monitors);
  observed.add_array(days, [](pages::local_day const& day) { return hour_from(day.starts_at); });
  observed.add_array(days, [](pages::local_day const& day) { return hour_from(day.ends_at); });
  observed.add_array(days, [](pages::local_day const& day) { return day.day; });
  observed.add(hour - hours_of_days);
  observed.add(hour - unpacked_hours);
  observed.add(now.micros / 1000);
  queries.push_back({read_observed_days, std::move(observed)});
  auto const start = days.empty() ? now : days.front().starts_at, end = days.empty() ? now : days.back().ends_at;
  queries.push_back({read_outage_days, postgres::parameters(monitors, start, end, outages_of_each(monitors.size()))});
}

std::map<uuid, std::vector<pages::monitor_day>> read_monitor_days(std::span<postgres::rows const> found,
                                                                  std::vector<pages::local_day> const& days) {
  std::map<uuid, std::vector<pages::monitor_day>> out;
  auto const days_of = [&](uuid monitor) -> std::vector<pages::monitor_day>& {
    auto& all = out[monitor];
    all.resize(days.size());
    return all;
  };
  for (int i = 0; i < found[0].size(); ++i) {
    auto const r = found[0][i];
    days_of(r.id(0)).at(static_cast<std::size_t>(r.integer(1) - 1)).observed_seconds = r.integer(2);
  }
  for (int i = 0; i < found[1].size(); ++i) {
    auto const down = read_down(found[1][i]);
    auto& all = days_of(found[1][i].id(0));
    for (std::size_t day = 0; day < days.size(); ++day)
      if (down.starts_at < days[day].ends_at && days[day].starts_at < down.ends_at) all[day].downs.push_back(down);
  }
  return out;
}

std::vector<pages::monitor_day> days_of_monitors(std::map<uuid, std::vector<pages::monitor_day>> const& all,
                                                 std::vector<uuid> const& monitors, std::size_t number) {
  std::vector<pages::monitor_day> out;
  for (auto const& monitor : monitors) {
    auto const found = all.find(monitor);
    out.push_back(found == all.end() ? pages::monitor_day{} : found->second.at(number));
  }
  return out;
}

}  // namespace svc::store
