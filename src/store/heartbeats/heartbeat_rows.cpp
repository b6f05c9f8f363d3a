#include "store/heartbeats/heartbeat_rows.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <limits>

namespace svc::store {
namespace {

constexpr postgres::statement read_heartbeats{"heartbeats_read", R"(
SELECT h.monitor_id, m.config, h.planned_for, h.due_at, h.started_at, h.last_beat_at, h.last_duration_ms, h.runs, h.beats
  FROM heartbeats h JOIN monitors m ON m.id = h.monitor_id WHERE h.monitor_id = ANY ($1))"};

// Each array has one element for each monitor.
constexpr postgres::statement write_heartbeats{"heartbeats_write", R"(
UPDATE heartbeats h
   SET planned_for = g.planned_for, due_at = g.due_at, started_at = g.started_at, last_beat_at = g.last_beat_at,
       last_duration_ms = g.last_duration_ms, runs = g.runs::jsonb, beats = g.beats, deadline_at = g.deadline_at,
       failed_looks = 0
  FROM unnest((SELECT $1::uuid[]), (SELECT $2::bigint[]), (SELECT $3::timestamptz[]), (SELECT $4::timestamptz[]),
              (SELECT $5::timestamptz[]), (SELECT $6::bigint[]), (SELECT $7::text[]), (SELECT $8::bigint[]),
              (SELECT $9::timestamptz[]))
       g (monitor_id, planned_for, due_at, started_at, last_beat_at, last_duration_ms, runs, beats, deadline_at)
 WHERE h.monitor_id = g.monitor_id)"};

std::vector<heartbeats::open_run> runs_in(std::string_view text) {
  std::vector<heartbeats::open_run> out;
  auto const parsed = boost::json::parse(text);
  for (auto const& each : parsed.as_array()) {
    auto const& run = each.as_object();
    auto const id = uuid::parse(std::string_view(run.at("id").as_string()));
    out.push_back({id.value_or(uuid{}), {run.at("started").as_int64()}, run.at("tooLong").as_bool()});
  }
  return out;
}

std::string text_of(std::vector<heartbeats::open_run> const& runs) {
  boost::json::array out;
  for (auto const& each : runs) {
    out.push_back(boost::json::object{
        {"id", each.id.to_string()}, {"started", each.started_at.micros}, {"tooLong", each.too_long}});
  }
  return boost::json::serialize(out);
}

heartbeat_row read_heartbeat(postgres::row r) {
  heartbeat_row out{.monitor = r.id(0), .planned_for = r.integer(2)};
  auto const config = heartbeats::parse_heartbeat(boost::json::parse(r.text(1)).as_object());
  if (config) out.config = *config;
  auto& state = out.state;
  state.due_at = r.maybe_time(3);
  state.started_at = r.maybe_time(4);
  state.last_ping_at = r.maybe_time(5);
  if (auto const ms = r.maybe_integer(6)) state.last_duration = std::chrono::milliseconds(*ms);
  state.runs = runs_in(r.text(7));
  out.pings = r.integer(8);
  return out;
}

std::optional<std::uint32_t> bounded_ms(std::optional<std::chrono::milliseconds> const& took) {
  if (!took) return std::nullopt;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::uint32_t>(std::min<std::int64_t>(took->count(), most));
}

}  // namespace

void heartbeat_row::follow(locked_monitor const& monitor, timestamp now) {
  if (planned_for == monitor.state.check_version || !is_evaluated(monitor)) return;
  heartbeats::plan(*config, state, now);
  planned_for = monitor.state.check_version;
}

postgres::query read_heartbeats_query(std::vector<uuid> const& monitors) {
  return {read_heartbeats, postgres::parameters(monitors)};
}

std::vector<heartbeat_row> read_heartbeat_rows(postgres::rows const& found) {
  std::vector<heartbeat_row> out;
  for (int i = 0; i < found.size(); ++i) out.push_back(read_heartbeat(found[i]));
  return out;
}

postgres::query write_heartbeats_query(std::vector<heartbeat_row> const& all) {
  postgres::query out{write_heartbeats};
  auto& parameters = out.parameters;
  parameters.add_array(all, [](heartbeat_row const& r) { return r.monitor; });
  parameters.add_array(all, [](heartbeat_row const& r) { return r.planned_for; });
  parameters.add_array(all, [](heartbeat_row const& r) { return r.state.due_at; });
  parameters.add_array(all, [](heartbeat_row const& r) { return r.state.started_at; });
  parameters.add_array(all, [](heartbeat_row const& r) { return r.state.last_ping_at; });
  parameters.add_array(all, [](heartbeat_row const& r) {
    auto const& took = r.state.last_duration;
    return took ? std::optional<std::int64_t>(took->count()) : std::nullopt;
  });
  parameters.add_array(all, [](heartbeat_row const& r) { return text_of(r.state.runs); });
  parameters.add_array(all, [](heartbeat_row const& r) { return r.pings; });
  parameters.add_array(all, [](heartbeat_row const& r) { return r.deadline; });
  return out;
}

arrived_result result_of(heartbeats::heartbeat_finding const& conclusion, locked_monitor const& monitor,
                         location_row const& row, timestamp now) {
  arrived_result out{.monitor = monitor.id,
                     .check_version = monitor.state.check_version,
                     .covers = conclusion.covers,
                     .failure = conclusion.failure};
  auto& kept = out.kept;
  // Beats come when they like; each counts.
  kept.slot = std::max(now.micros / 1000, row.last_slot + 1);
  kept.started_ms = conclusion.time.micros / 1000;
  kept.response_time_ms = bounded_ms(conclusion.took);
  mark_maintenance(out, monitor.ahead);
  if (!conclusion.failure) return out;
  kept.ended = checks::row_of(conclusion.failure->which).gives;
  kept.code = conclusion.failure->which;
  out.details = checks::details_json({.ended = kept.ended, .known = {.error = conclusion.failure}});
  return out;
}

}  // namespace svc::store
