// This file shows the results of monitors' checks: single results, and their sums.
#include "api/call_options.hpp"
#include "api/monitors.hpp"
#include "svc/api/handlers.hpp"
#include "svc/store/monitors/check_store.hpp"
#include "svc/store/repositories.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace svc::api {
namespace {

constexpr std::int64_t hour_of_micros = 3'600'000'000, day_of_micros = 24 * hour_of_micros;
constexpr std::array<std::string_view, 3> kind_names{"scheduled", "confirm", "manual"};

void times_json(http::json_text& out, checks::timings const& timings) {
  if (timings == checks::timings{}) return;
  out.open("timings")
      .member_if("dnsMs", timings.dns_ms)
      .member_if("connectMs", timings.connect_ms)
      .member_if("tlsMs", timings.tls_ms)
      .member_if("firstByteMs", timings.first_byte_ms)
      .member_if("transferMs", timings.transfer_ms)
      .close();
}

/// Writes the details that were kept in full, or else the details that a packed result contains.
void details_of_result_json(http::json_text& out, store::listed_result const& result) {
  if (!result.details.empty()) {
    out.stored_member("details", result.details);
    return;
  }
  out.open("details").member_if("statusCode", result.result.status_code);
  if (result.result.code) {
    auto const& row = checks::row_of(*result.result.code);
    out.open("error").member("code", row.name).member("message", row.message).close();
  }
  times_json(out, result.result.phases);
  out.close();
}

std::optional<checks::status> status_named(std::optional<std::string_view> name) {
  if (!name) return std::nullopt;
  for (std::uint8_t i = 0; i < checks::status_count; ++i)
    if (checks::name_of(static_cast<checks::status>(i)) == *name) return static_cast<checks::status>(i);
  return std::nullopt;
}

/// Returns the filter of the query: `date`, or `from` and `to`.
result<store::result_filter> filter_of(call const& c) {
  store::result_filter out{
      .start = query_time(c, "from"), .end = query_time(c, "to"), .ended = status_named(c.query_value("status"))};
  if (auto const code = c.query_value("location"); code && *code != store::own_location_code)
    return error(errc::validation_failed, {}, {{"location", "is not a location of this organisation"}});
  auto const date = c.query_value("date");
  if (!date) return out;
  if (out.start || out.end)
    return error(errc::validation_failed, {}, {{"date", "must not be combined with from and to"}});
  out.start = parse_rfc3339(std::string(*date) + "T00:00:00Z");
  if (!out.start) return error(errc::validation_failed, {}, {{"date", "must be a day such as 2026-11-20"}});
  out.end = timestamp{out.start->micros + day_of_micros};
  return out;
}

/// Returns a page without a count of all rows, because the store does not count them.
page<store::listed_result> page_of(std::vector<store::listed_result> found, page_request const& wanted) {
  page<store::listed_result> out;
  auto const skipped = std::min(found.size(), static_cast<std::size_t>(wanted.offset()));
  found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(skipped));
  bool const more = found.size() > static_cast<std::size_t>(wanted.limit);
  if (more) found.resize(static_cast<std::size_t>(wanted.limit));
  out.rows = std::move(found);
  bool const beyond = out.rows.empty() && wanted.number > 1;
  out.total = beyond ? static_cast<std::int64_t>(skipped)
                     : wanted.rows_before() + static_cast<std::int64_t>(out.rows.size()) + (more ? 1 : 0);
  out.total_is_estimate = more;
  if (more) out.next = page_key{.time = timestamp{out.rows.back().result.started_ms * 1000}, .id = {}};
  return out;
}

void uptime_json(http::json_text& out, std::optional<std::int64_t> uptime) {
  if (!uptime) {
    out.member("uptimePercent", nullptr);
    return;
  }
  auto const part = std::to_string(10'000 + *uptime % 10'000).substr(1);
  out.stored_member("uptimePercent", std::to_string(*uptime / 10'000) + "." + part);
}

void sum_json(http::json_text& out, store::history_part const& part) {
  auto const& sum = part.sum.summary;
  uptime_json(out, store::uptime_of(part.sum.observed, part.down.micros));
  out.member("avgResponseTime", sum.average_ms())
      .member("p50ResponseTime", sum.times.percentile(50))
      .member("p95ResponseTime", sum.times.percentile(95))
      .member("p99ResponseTime", sum.times.percentile(99))
      .member("totalChecks", sum.checks)
      .member("successfulChecks", sum.up)
      .member("failedChecks", sum.down)
      .member("downtimeSeconds", part.down.micros / 1'000'000)
      .member("observedSeconds", part.sum.observed)
      .member("outages", part.down.outages);
}

void part_json(http::json_text& out, store::history_part const& part) {
  auto const& sum = part.sum.summary;
  out.member("start", part.start).member("checks", sum.checks).member("up", sum.up);
  uptime_json(out, store::uptime_of(part.sum.observed, part.down.micros));
  out.member("avg", sum.average_ms())
      .member("p50", sum.times.percentile(50))
      .member("p95", sum.times.percentile(95))
      .member("p99", sum.times.percentile(99))
      .member("min", sum.min_ms)
      .member("max", sum.max_ms);
}

struct named_period {
  std::string_view name;
  std::int64_t micros;
  store::history_resolution resolution;
};
constexpr std::array<named_period, 5> periods{{{"24h", day_of_micros, store::history_resolution::hour},
                                               {"7d", 7 * day_of_micros, store::history_resolution::hour},
                                               {"30d", 30 * day_of_micros, store::history_resolution::day},
                                               {"90d", 90 * day_of_micros, store::history_resolution::day},
                                               {"365d", 365 * day_of_micros, store::history_resolution::day}}};

task<store::history_part> sum_of(call& c, std::string_view name, timestamp now) {
  auto const& wanted = *std::ranges::find(periods, name, &named_period::name);
  co_return co_await c.use.stores.history.sum(c.path_id(), {now.micros - wanted.micros}, now, wanted.resolution,
                                              c.until);
}

/// The bounds of a series that remain after the query's limits. `bounds_of` returns validation_failed for too many
/// parts.
struct series_bounds {
  timestamp start{}, end{};
};
result<series_bounds> bounds_of(call const& c, std::int64_t width, timestamp now) {
  constexpr std::int64_t most_parts = 1000;
  std::int64_t const usual = width == hour_of_micros ? 24 : 30;
  auto const end = query_time(c, "to").value_or(now);
  auto const start = query_time(c, "from").value_or(timestamp{end.micros - usual * width});
  if (start.micros > end.micros) return error(errc::validation_failed, {}, {{"from", "must not be after to"}});
  if (end.micros - start.micros > (most_parts - 1) * width)
    return error(errc::validation_failed, {}, {{"from", "must be at most 999 parts before to"}});
  return series_bounds{start, end};
}

}  // namespace

void monitor_result_json(http::json_text& out, store::listed_result const& result) {
  auto const& entry = result.result;
  out.member("checkedAt", timestamp{entry.started_ms * 1000})
      .member("location", store::own_location_code)
      .member("status", checks::name_of(entry.ended))
      .member("isUp", entry.ended == checks::status::up)
      .member("degraded", entry.degraded)
      .member("responseTimeMs", entry.response_time_ms)
      .member("attempts", entry.attempts)
      .member("kind", kind_names.at(static_cast<std::size_t>(entry.asked_by)))
      .member("isStatusChange", entry.status_change)
      .member("maintenance", entry.maintenance)
      .member("runId", nullptr);
  details_of_result_json(out, result);
}

task<result<reply>> list_monitor_results(call& c) {
  auto filter = filter_of(c);
  if (!filter) co_return filter.error();
  auto const wanted = c.page();
  auto const known = co_await c.use.stores.monitors.get(c.caller.project_id, c.path_id(), c.until);
  if (!known) co_return known.error();
  if (auto const before = wanted.after_time(); before && (!filter->end || *before < *filter->end))
    filter->end = before;
  store::result_count const count{.most = static_cast<std::size_t>(wanted.offset() + wanted.limit + 1),
                                  .skipped = static_cast<std::size_t>(wanted.offset())};
  auto all = co_await c.use.stores.history.results(c.path_id(), *filter, count, c.until);
  bool const too_deep = wanted.too_deep() && all.size() > static_cast<std::size_t>(max_numbered_rows);
  auto found = page_of(std::move(all), wanted);
  found.too_deep = too_deep;
  co_return page_reply(c, found, monitor_result_json);
}

task<result<reply>> get_monitor_stats(call& c) {
  auto const known = co_await c.use.stores.monitors.get(c.caller.project_id, c.path_id(), c.until);
  if (!known) co_return known.error();
  std::string const name(c.query_value("period").value_or("30d"));
  auto const now = system_now();
  auto const day = co_await sum_of(c, "24h", now), month = co_await sum_of(c, "30d", now);
  auto const wanted = name == "24h" ? day : name == "30d" ? month : co_await sum_of(c, name, now);
  co_return shown_reply(c, known->version, [&](http::json_text& out) {
    out.member("period", name);
    sum_json(out, wanted);
    out.open("periods").open("24h");
    sum_json(out, day);
    out.close().open("30d");
    sum_json(out, month);
    out.close().close();
  });
}

task<result<reply>> get_monitor_series(call& c) {
  bool const by_day = c.query_value("resolution") == "day";
  auto const bounds = bounds_of(c, by_day ? day_of_micros : hour_of_micros, system_now());
  if (!bounds) co_return bounds.error();
  auto const known = co_await c.use.stores.monitors.get(c.caller.project_id, c.path_id(), c.until);
  if (!known) co_return known.error();
  auto const resolution = by_day ? store::history_resolution::day : store::history_resolution::hour;
  auto const parts =
      co_await c.use.stores.history.series(c.path_id(), bounds->start, bounds->end, resolution, c.until);
  co_return shown_reply(c, known->version, [&](http::json_text& out) {
    out.member("resolution", by_day ? "day" : "hour").open_list("data");
    for (auto const& each : parts) {
      out.open_element();
      part_json(out, each);
      out.close();
    }
    out.close_list();
  });
}

}  // namespace svc::api
