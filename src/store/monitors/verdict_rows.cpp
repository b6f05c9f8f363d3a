#include "store/monitors/verdict_rows.hpp"

#include "store/monitors/hold_rows.hpp"
#include "store/sql/sql_text.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>

namespace svc::store {
namespace {

using namespace alerting;

constexpr postgres::statement lock_monitors{"verdict_lock",
                                            "SELECT FROM monitors WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE"};
constexpr postgres::statement lock_states{"verdict_lock_votes", R"(
SELECT FROM check_states WHERE monitor_id = ANY ($1) ORDER BY monitor_id, location_id FOR NO KEY UPDATE)"};

// `changes` has the times of at most 20 changes (`alerting::most_changes`), the oldest first. Only the deadlines of a
// heartbeat say when silence means something; therefore its interval is ten years.
constexpr postgres::statement read_monitors{"verdict_read", R"(
SELECT m.id, m.project_id, m.name, m.enabled AND m.deleted_at IS NULL AND p.archived_at IS NULL, m.check_version,
       CASE WHEN m.type = 'heartbeat' THEN 315360000 ELSE m.interval_seconds END, m.attempts_seconds, m.alert_config, m.muted_until, s.verdict, s.since, s.outage_id,
       s.period_id, s.last_ended_at, o.started_at, o.acknowledged_at IS NOT NULL, o.told_at, clock_timestamp(),
       CASE WHEN cardinality(s.changes) >= 20 THEN s.changes[1] + interval '1 hour' END,
       CASE WHEN cardinality(s.changes) >= 19 THEN s.changes[cardinality(s.changes) - 18] + interval '1 hour' END,
       s.limit_recorded, s.failure_left_out, m.type <> 'heartbeat', o.detected_at, o.caused_by,
       coalesce(s.quiet_ended_at = 'infinity', false), nullif(s.quiet_ended_at, 'infinity')
  FROM monitors m JOIN projects p ON p.id = m.project_id JOIN monitor_status s ON s.monitor_id = m.id
  LEFT JOIN outages o ON o.id = s.outage_id
 WHERE m.id = ANY ($1) ORDER BY m.id)"};

constexpr auto read_states_sql =
    sql("SELECT c.monitor_id,", check_state_columns, "FROM check_states c WHERE c.monitor_id = ANY ($1)");
constexpr postgres::statement read_states{"verdict_read_votes", read_states_sql};

// A provider that is gone can be told nothing any more. The first failure of an outage says who was notified, and the
// newest reminder has its number, so a decision reads at most one row more than an alert configuration names
// providers, however long the outage lasts.
constexpr postgres::statement read_alerts{"verdict_read_alerts", R"(
SELECT s.monitor_id, a.type, a.number, a.provider_id, coalesce(a.suppressed_by, ''),
       coalesce(NOT p.enabled, true), coalesce(p.type = 'pagerduty', false)
  FROM monitor_status s CROSS JOIN LATERAL (
    (SELECT f.id, f.type, f.number, f.provider_id, f.suppressed_by FROM alerts f
      WHERE f.about = s.outage_id AND f.type = 'monitor_failure' AND f.number = 0)
    UNION ALL
    (SELECT r.id, r.type, r.number, r.provider_id, r.suppressed_by FROM alerts r
      WHERE r.about = s.outage_id AND r.type = 'monitor_failure' AND r.number > 0 ORDER BY r.number DESC LIMIT 1)
    UNION ALL
    (SELECT b.id, b.type, b.number, b.provider_id, b.suppressed_by FROM alerts b
      WHERE b.about = s.period_id AND b.type IN ('monitor_degraded', 'monitor_error') AND b.number = 0)) a
  LEFT JOIN notification_providers p ON p.id = a.provider_id
 WHERE s.monitor_id = ANY ($1)
 ORDER BY a.number, a.id)"};

constexpr postgres::statement read_receivers{"verdict_read_receivers", R"(
SELECT m.id, p.id, NOT p.enabled, p.type = 'pagerduty'
  FROM monitors m CROSS JOIN LATERAL jsonb_array_elements_text(m.alert_config -> 'notificationProviders')
       WITH ORDINALITY w (id, place)
  JOIN notification_providers p ON p.id = w.id::uuid AND p.project_id = m.project_id
 WHERE m.id = ANY ($1) ORDER BY m.id, w.place)"};

constexpr std::array<std::string_view, 5> verdicts{"pending", "up", "degraded", "down", "error"};
constexpr std::array<std::string_view, 3> results{"none", "up", "down"};

/// Returns nothing for an empty name. A name that only a newer version knows counts as suppressed, because otherwise
/// a recovery would be sent to a provider that got no failure.
std::optional<suppression> suppression_named(std::string_view name) {
  if (name.empty()) return std::nullopt;
  auto const found = std::ranges::find(suppression_names, name);
  return found == suppression_names.end() ? suppression::other
                                          : static_cast<suppression>(found - suppression_names.begin());
}

std::optional<checks::failure> failure_at(postgres::row r, int column) {
  if (r.is_null(column)) return std::nullopt;
  return checks::failure(static_cast<checks::code>(r.integer(column)), std::string(r.text(column + 1)));
}

boost::json::object object_of(std::optional<std::string_view> text) {
  return text ? boost::json::parse(*text).as_object() : boost::json::object{};
}

bool flag(boost::json::object const& object, char const* member, bool otherwise) {
  auto const* found = object.if_contains(member);
  return found != nullptr && found->is_bool() ? found->as_bool() : otherwise;
}

std::optional<std::int64_t> number(boost::json::object const& object, char const* member) {
  auto const* found = object.if_contains(member);
  return found != nullptr && found->is_int64() ? std::optional(found->as_int64()) : std::nullopt;
}

thresholds thresholds_in(boost::json::object const& config) {
  return {static_cast<std::uint32_t>(number(config, "failureThreshold").value_or(1)),
          static_cast<std::uint32_t>(number(config, "recoveryThreshold").value_or(1))};
}

/// Without `alertConfig` nobody is told.
alert_settings settings_in(boost::json::object const& config) {
  alert_settings out{.enabled = flag(config, "enabled", false)};
  out.on_failure = flag(config, "alertOnFailure", true);
  out.on_recovery = flag(config, "alertOnRecovery", true);
  out.on_degraded = flag(config, "alertOnDegraded", false);
  out.on_error = flag(config, "alertOnError", true);
  out.on_ssl_expiration = flag(config, "alertOnSslExpiration", false);
  if (auto const minutes = number(config, "reminderMinutes")) out.reminder = std::chrono::minutes(*minutes);
  return out;
}

locked_monitor read_monitor(postgres::row r) {
  locked_monitor out{.id = r.id(0), .project = r.id(1), .name = std::string(r.text(2))};
  auto& state = out.state;
  state.live = r.boolean(3);
  state.check_version = r.integer(4);
  state.interval = std::chrono::seconds(r.integer(5));
  state.attempts_take = std::chrono::seconds(r.integer(6));
  auto const config = object_of(r.is_null(7) ? std::nullopt : std::optional(r.text(7)));
  state.alerts = settings_in(config);
  out.limits = thresholds_in(config);
  state.muted_until = r.maybe_time(8);
  state.status = verdict_named(r.text(9));
  state.since = r.time(10);
  if (!r.is_null(11)) {
    state.outage = open_outage{.id = r.id(11),
                               .started_at = r.time(14),
                               .acknowledged = r.boolean(15),
                               .notified_at = r.maybe_time(16).value_or(timestamp{}),
                               .detected_at = r.time(23),
                               .hold = {.active = r.boolean(25), .ended_at = r.maybe_time(26)},
                               .caused_by = r.maybe_id(24)};
  }
  if (!r.is_null(12)) state.period = open_period{r.id(12), {}};
  state.last_ended_at = r.maybe_time(13);
  state.limited_until = r.maybe_time(18);
  state.limited_after_change = r.maybe_time(19);
  state.limit_recorded = r.boolean(20);
  state.failure_left_out = r.boolean(21);
  state.checkable = r.boolean(22);
  return out;
}

void add_alert(locked_monitor& monitor, postgres::row r) {
  written_alert alert{{r.id(3), r.boolean(5), r.boolean(6)}, static_cast<std::uint32_t>(r.integer(2)), std::nullopt};
  alert.suppressed = suppression_named(r.text(4));
  if (r.text(1) == "monitor_failure") {
    if (!monitor.state.outage) return;
    if (alert.number == 0) monitor.state.outage->failures.push_back(alert);
    monitor.state.outage->reminders = std::max(monitor.state.outage->reminders, alert.number);
  } else if (monitor.state.period && (r.text(1) == "monitor_degraded" || r.text(1) == "monitor_error")) {
    monitor.state.period->begins.push_back(alert);
  }
}

}  // namespace

std::string_view name_of(verdict v) {
  return verdicts[static_cast<std::size_t>(v)];
}

verdict verdict_named(std::string_view name) {
  auto const found = std::ranges::find(verdicts, name);
  return static_cast<verdict>(found - verdicts.begin());
}

std::string_view name_of(suppression reason) {
  return suppression_names.at(static_cast<std::size_t>(reason));
}

std::string_view name_of(location_status v) {
  return results[static_cast<std::size_t>(v)];
}

std::optional<std::int64_t> code_of(std::optional<checks::failure> const& failure) {
  return failure ? std::optional(static_cast<std::int64_t>(failure->which)) : std::nullopt;
}

std::optional<std::string_view> message_of(std::optional<checks::failure> const& failure) {
  return failure ? std::optional(std::string_view(failure->message)) : std::nullopt;
}

thresholds thresholds_of(std::optional<std::string_view> alert_config) {
  return thresholds_in(object_of(alert_config));
}

location_row read_state(postgres::row r, int first) {
  location_row out{r.id(first), r.integer(first + 1), r.integer(first + 2), r.integer(first + 3), {}, {}};
  auto& state = out.state;
  state.says = static_cast<location_status>(std::ranges::find(results, r.text(first + 4)) - results.begin());
  std::uint32_t* const counts[] = {&state.fails, &state.oks, &state.errors, &state.slow, &state.plain};
  int column = first + 5;
  for (auto* each : counts) *each = static_cast<std::uint32_t>(r.integer(column++));
  state.degraded = r.boolean(column++);
  std::optional<timestamp>* const times[] = {&state.failing_since, &state.good_since, &state.conclusive_at,
                                             &state.seen_at};
  for (auto* each : times) *each = r.maybe_time(column++);
  state.failure = failure_at(r, column);
  state.error = failure_at(r, column + 2);
  out.covered = {r.integer(column + 4), r.integer(column + 5)};
  return out;
}

location_row* locked_monitor::at(uuid location) {
  auto const found = std::ranges::find(locations, location, &location_row::location);
  return found == locations.end() ? nullptr : &*found;
}

check_memory locked_monitor::memory_of(location_row const& row) const {
  return {row.revision, row.check_version,        row.last_slot, row.state, row.covered,
          state.status, state.outage.has_value(), limits};
}

locked_monitor* locked_monitors::find(uuid id) {
  auto const found = std::ranges::lower_bound(all, id, {}, &locked_monitor::id);
  return found == all.end() || found->id != id ? nullptr : &*found;
}

std::vector<postgres::query> lock_and_read_monitors(std::vector<uuid> const& ids) {
  std::vector<postgres::query> out;
  for (auto const& each : {lock_monitors, lock_states, read_monitors, read_states, read_alerts, read_receivers}) {
    out.push_back({each, postgres::parameters(ids)});
  }
  out.push_back(parents_query(ids));
  out.push_back(maintenance_query(ids));
  return out;
}

locked_monitors read_locked(std::vector<postgres::rows> const& answers, std::size_t first) {
  locked_monitors out;
  auto const& found = answers[first + 2];
  for (int i = 0; i < found.size(); ++i) {
    out.all.push_back(read_monitor(found[i]));
    out.now = found[i].time(17);
  }
  auto const each = [&](std::size_t answer, auto const& take) {
    auto const& rows = answers[first + answer];
    for (int i = 0; i < rows.size(); ++i) {
      if (auto* monitor = out.find(rows[i].id(0))) take(*monitor, rows[i]);
    }
  };
  each(3, [](locked_monitor& subject, postgres::row r) { subject.locations.push_back(read_state(r, 1)); });
  each(4, add_alert);
  each(5, [](locked_monitor& monitor, postgres::row r) {
    monitor.state.alerts.providers.push_back({r.id(1), r.boolean(2), r.boolean(3)});
  });
  each(6, [](locked_monitor& monitor, postgres::row r) { monitor.state.parents.push_back(read_parent(r)); });
  each(7,
       [](locked_monitor& monitor, postgres::row r) { monitor.state.maintenance.push_back(read_quiet_time(r, 1)); });
  return out;
}

}  // namespace svc::store
