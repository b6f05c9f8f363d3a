#include "store/monitors/hold_rows.hpp"
#include "store/monitors/verdict_rows.hpp"
#include "svc/core/joined.hpp"

#include <algorithm>
#include <array>

namespace svc::store {
namespace {

using namespace alerting;

// Each statement writes a row of all decisions of a transaction, because a failed router leads to many decisions at
// once. Arrays are in sub-selects, which makes PostgreSQL use one generic plan.

constexpr postgres::statement write_statuses{"verdict_write", R"(
UPDATE monitor_status s
   SET verdict = g.verdict, since = coalesce(g.since, s.since), reason = g.reason, reason_message = g.reason_message,
       outage_id = g.outage_id, period_id = g.period_id, last_ended_at = coalesce(g.last_ended_at, s.last_ended_at),
       look_at = g.look_at, failed_looks = 0, limit_recorded = g.limit_recorded, failure_left_out = g.failure_left_out,
       changes = CASE WHEN g.changed_at IS NULL THEN s.changes
                      ELSE (s.changes || g.changed_at)[greatest(1, cardinality(s.changes) - 18):] END,
       quiet_ended_at = CASE WHEN g.held THEN 'infinity' ELSE g.hold_ended_at END
  FROM unnest((SELECT $1::uuid[]), (SELECT $2::text[]), (SELECT $3::timestamptz[]), (SELECT $4::bigint[]),
              (SELECT $5::text[]), (SELECT $6::uuid[]), (SELECT $7::uuid[]), (SELECT $8::timestamptz[]),
              (SELECT $9::timestamptz[]), (SELECT $10::boolean[]), (SELECT $11::boolean[]),
              (SELECT $12::timestamptz[]), (SELECT $13::boolean[]), (SELECT $14::timestamptz[]))
       g (monitor_id, verdict, since, reason, reason_message, outage_id, period_id, last_ended_at, look_at,
          limit_recorded, failure_left_out, changed_at, held, hold_ended_at)
 WHERE s.monitor_id = g.monitor_id)"};

// States that were computed from the former votes do not count any more. Another statement writes the votes that
// counted.
constexpr postgres::statement change_results{"verdict_change_votes", R"(
UPDATE check_states c SET revision = c.revision + 1
  FROM unnest((SELECT $1::uuid[]), (SELECT $2::uuid[])) g (monitor_id, counted)
 WHERE c.monitor_id = g.monitor_id AND c.location_id IS DISTINCT FROM g.counted)"};

// A location's code never contains a comma.
constexpr postgres::statement open_outages{"outage_open", R"(
INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, cause, cause_message, cause_location,
                     locations_down, told_at, caused_by)
SELECT g.id, g.project_id, g.monitor_id, g.started_at, g.detected_at, g.cause, g.cause_message, g.cause_location,
       string_to_array(g.locations_down, ','), g.told_at, g.caused_by
  FROM unnest((SELECT $1::uuid[]), (SELECT $2::uuid[]), (SELECT $3::uuid[]), (SELECT $4::timestamptz[]),
              (SELECT $5::timestamptz[]), (SELECT $6::bigint[]), (SELECT $7::text[]), (SELECT $8::text[]),
              (SELECT $9::text[]), (SELECT $10::timestamptz[]), (SELECT $11::uuid[]))
       g (id, project_id, monitor_id, started_at, detected_at, cause, cause_message, cause_location, locations_down,
          told_at, caused_by))"};

constexpr postgres::statement write_causes{"outage_caused_by", R"(
UPDATE outages o SET caused_by = g.cause
  FROM unnest((SELECT $1::uuid[]), (SELECT $2::uuid[])) g (id, cause)
 WHERE o.id = g.id AND o.caused_by IS NULL)"};

constexpr postgres::statement end_outages{"outage_end", R"(
UPDATE outages o SET ended_at = g.ended_at, end_reason = g.reason, excluded_seconds = g.excluded
  FROM unnest((SELECT $1::uuid[]), (SELECT $2::timestamptz[]), (SELECT $3::text[]), (SELECT $4::bigint[]))
       g (id, ended_at, reason, excluded)
 WHERE o.id = g.id AND o.ended_at IS NULL)"};

// After the end of the outage, acknowledgements would arrive too late.
constexpr postgres::statement drop_acknowledgements{"outage_drop_acknowledgements", R"(
DELETE FROM alerts WHERE about = ANY ($1) AND type = 'outage_acknowledged' AND message_id IS NULL)"};

constexpr postgres::statement notify_outages{"outage_told", "UPDATE outages SET told_at = $2 WHERE id = ANY ($1)"};

// The unique key prevents a second alert about the same event, regardless of the deciding transaction.
constexpr postgres::statement insert_alerts{"alert_insert", R"(
INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id, provider_name,
                    status, suppressed_by, error_message, certificate)
SELECT g.id, g.project_id, g.type, 'monitor', g.target_id, g.target_name, g.about, g.number, g.provider_id,
       coalesce(p.name, (SELECT a.provider_name FROM alerts a
                          WHERE a.about = g.about AND a.provider_id = g.provider_id LIMIT 1), ''),
       CASE WHEN g.suppressed_by IS NULL THEN 'pending' ELSE 'suppressed' END, g.suppressed_by, g.error_message,
       g.certificate
  FROM unnest((SELECT $1::uuid[]), (SELECT $2::uuid[]), (SELECT $3::text[]), (SELECT $4::uuid[]), (SELECT $5::text[]),
              (SELECT $6::uuid[]), (SELECT $7::bigint[]), (SELECT $8::uuid[]), (SELECT $9::text[]),
              (SELECT $10::text[]), (SELECT $11::text[]))
       g (id, project_id, type, target_id, target_name, about, number, provider_id, suppressed_by, error_message,
          certificate)
  LEFT JOIN notification_providers p ON p.id = g.provider_id
ON CONFLICT ON CONSTRAINT alerts_told_once DO NOTHING)"};

constexpr postgres::statement release_alerts{"alert_release", R"(
UPDATE alerts a SET status = 'pending', suppressed_by = NULL
  FROM unnest((SELECT $1::uuid[]), (SELECT $2::text[]), (SELECT $3::bigint[]), (SELECT $4::uuid[]))
       g (about, type, number, provider_id)
 WHERE a.about = g.about AND (a.type = g.type AND a.number = g.number OR a.type = 'outage_acknowledged')
   AND a.provider_id = g.provider_id AND a.status = 'suppressed')"};

constexpr std::array<std::string_view, 5> types{"monitor_failure", "monitor_recovery", "monitor_degraded",
                                                "monitor_error", "ssl_expiring"};
constexpr std::array<std::string_view, 5> ends{"recovered", "paused", "edited", "resumed", "deleted"};

template <class Names, class Value>
std::string_view name_in(Names const& names, Value v) {
  return names[static_cast<std::size_t>(v)];
}

/// Returns the id that is current afterwards: the old one, the new one or none.
template <class Open>
std::optional<uuid> id_after(std::optional<Open> const& before, std::optional<uuid> begun, bool ended) {
  if (begun) return begun;
  return before && !ended ? std::optional(before->id) : std::nullopt;
}

std::optional<uuid> outage_after(decision_row const& decision) {
  auto const& made = decision.made;
  auto const begun = made.opened ? std::optional(made.opened->id) : std::nullopt;
  return id_after(decision.monitor.state.outage, begun, made.closed.has_value());
}

postgres::query statuses_query(std::span<decision_row const> all, timestamp now) {
  postgres::query out{write_statuses};
  auto const column = [&](auto const& value) { out.parameters.add_array(all, value); };
  column([](decision_row const& d) { return d.monitor.id; });
  column([](decision_row const& d) { return name_of(d.made.becomes); });
  column([&](decision_row const& d) { return d.made.changed || d.interrupts ? std::optional(now) : std::nullopt; });
  column([](decision_row const& d) { return code_of(d.made.reason); });
  column([](decision_row const& d) { return message_of(d.made.reason); });
  column(outage_after);
  column([](decision_row const& d) {
    return id_after(d.monitor.state.period, d.made.period_begun, d.made.period_ended.has_value());
  });
  column([](decision_row const& d) { return d.made.closed ? std::optional(d.made.closed->ended_at) : std::nullopt; });
  column([](decision_row const& d) { return d.made.look_again; });
  column([](decision_row const& d) { return d.made.limit_recorded; });
  column([](decision_row const& d) { return d.made.failure_left_out; });
  column([&](decision_row const& d) { return d.made.changed ? std::optional(now) : std::nullopt; });
  column([](decision_row const& d) { return d.made.hold.active; });
  column([](decision_row const& d) { return d.made.hold.ended_at; });
  return out;
}

/// True if the decision affects a vote whose row no other statement writes.
bool changes_results(decision_row const& d) {
  bool const changes = d.made.changed || d.made.opened || d.made.closed;
  auto const is_other = [&](location_row const& row) { return row.location != d.counted; };
  return changes && std::ranges::any_of(d.monitor.locations, is_other);
}

void write_results(std::span<decision_row const> all, std::vector<postgres::query>& queries) {
  auto const changed = postgres::rows_where(all, changes_results);
  if (changed.empty()) return;
  postgres::query out{change_results};
  out.parameters.add_array(changed, [](decision_row const* d) { return d->monitor.id; });
  out.parameters.add_array(changed, [](decision_row const* d) { return d->counted; });
  queries.push_back(std::move(out));
}

/// Returns the seconds of an outage that are not covered by results. An outage that recovers ends at the start of its
/// good results.
std::int64_t excluded(locked_monitor const& monitor, outage_end const& end) {
  std::int64_t known = 0;
  for (auto const& each : monitor.locations) {
    auto const& covered = each.covered;
    known = std::max(known, end.reason == end_reason::recovered ? covered.in_all - covered.well : covered.in_all);
  }
  auto const lasted = (end.ended_at - monitor.state.outage->started_at).count() / 1'000'000;
  return std::max<std::int64_t>(0, lasted - known);
}

void write_endings(std::span<decision_row const> all, std::vector<postgres::query>& queries) {
  auto const ended = postgres::rows_where(all, [](decision_row const& d) { return d.made.closed.has_value(); });
  if (ended.empty()) return;
  postgres::query out{end_outages};
  out.parameters.add_array(ended, [](decision_row const* d) { return d->made.closed->id; });
  out.parameters.add_array(ended, [](decision_row const* d) { return d->made.closed->ended_at; });
  out.parameters.add_array(ended, [](decision_row const* d) { return name_in(ends, d->made.closed->reason); });
  out.parameters.add_array(ended, [](decision_row const* d) { return excluded(d->monitor, *d->made.closed); });
  queries.push_back(std::move(out));
  std::vector<uuid> acknowledged;
  for (auto const* each : ended) {
    if (each->monitor.state.outage->acknowledged) acknowledged.push_back(each->made.closed->id);
  }
  if (!acknowledged.empty()) queries.push_back({drop_acknowledgements, postgres::parameters(acknowledged)});
}

bool notifies_failure(decision const& made) {
  return !made.release.empty() ||
         std::ranges::find(made.alerts, alert_type::monitor_failure, &alert::type) != made.alerts.end();
}

void write_openings(std::span<decision_row const> all, timestamp now, std::vector<postgres::query>& queries) {
  auto const opened = postgres::rows_where(all, [](decision_row const& d) { return d.made.opened.has_value(); });
  if (opened.empty()) return;
  postgres::query out{open_outages};
  auto const column = [&](auto const& value) {
    out.parameters.add_array(opened, [&](decision_row const* d) { return value(*d, *d->made.opened); });
  };
  using begin = outage_begin;
  column([](decision_row const&, begin const& b) { return b.id; });
  column([](decision_row const& d, begin const&) { return d.monitor.project; });
  column([](decision_row const& d, begin const&) { return d.monitor.id; });
  column([](decision_row const&, begin const& b) { return b.started_at; });
  column([](decision_row const&, begin const& b) { return b.detected_at; });
  column([](decision_row const&, begin const& b) { return static_cast<std::int64_t>(b.cause.which); });
  column([](decision_row const&, begin const& b) { return std::string_view(b.cause.message); });
  column([](decision_row const&, begin const& b) { return std::string_view(b.location); });
  column([](decision_row const&, begin const& b) { return joined(b.locations, ","); });
  column([&](decision_row const& d, begin const&) {
    return notifies_failure(d.made) ? std::optional(now) : std::nullopt;
  });
  column([](decision_row const& d, begin const&) { return d.made.caused_by; });
  queries.push_back(std::move(out));
}

/// Writes the causes of outages that were open before.
void write_found_causes(std::span<decision_row const> all, std::vector<postgres::query>& queries) {
  auto const found = postgres::rows_where(all, [](decision_row const& d) {
    auto const& open = d.monitor.state.outage;
    return open && d.made.caused_by && !open->caused_by;
  });
  if (found.empty()) return;
  postgres::query out{write_causes};
  out.parameters.add_array(found, [](decision_row const* d) { return d->monitor.state.outage->id; });
  out.parameters.add_array(found, [](decision_row const* d) { return d->made.caused_by; });
  queries.push_back(std::move(out));
}

/// Makes children decide: of monitors whose verdict changes, and of those that they have waited for.
void look_at_children_of(std::span<decision_row const> all, std::vector<postgres::query>& queries) {
  std::vector<uuid> parents;
  for (auto const& each : all) {
    if (each.made.changed || each.interrupts || each.answers_request) parents.push_back(each.monitor.id);
  }
  if (!parents.empty()) queries.push_back(look_at_children_query(parents));
}

struct alert_of {
  decision_row const* decision;
  alert const* alert;
};

/// Returns the reason of an error period. An outage has its reason in its own row.
std::optional<std::string_view> reason_of_period(alert_of const& alert) {
  bool const begins = alert.alert->type == alert_type::monitor_error && alert.alert->number == 0;
  return begins ? message_of(alert.decision->made.reason) : std::nullopt;
}

std::optional<std::string> certificate_of(alert_of const& alert) {
  if (alert.alert->type != alert_type::ssl_expiring) return std::nullopt;
  return checks::certificate_json(*alert.decision->made.certificate);
}

void write_alerts(std::span<decision_row const> all, std::vector<postgres::query>& queries) {
  std::vector<alert_of> alerts;
  for (auto const& each : all) {
    for (auto const& alert : each.made.alerts) alerts.push_back({&each, &alert});
  }
  if (alerts.empty()) return;
  postgres::query out{insert_alerts};
  auto const column = [&](auto const& text) { out.parameters.add_array(alerts, text); };
  column([](alert_of const&) { return uuid::generate_v7(); });
  column([](alert_of const& a) { return a.decision->monitor.project; });
  column([](alert_of const& a) { return name_in(types, a.alert->type); });
  column([](alert_of const& a) { return a.decision->monitor.id; });
  column([](alert_of const& a) { return std::string_view(a.decision->monitor.name); });
  column([](alert_of const& a) { return a.alert->about; });
  column([](alert_of const& a) { return std::int64_t(a.alert->number); });
  column([](alert_of const& a) { return a.alert->id; });
  column([](alert_of const& a) {
    return a.alert->suppressed ? std::optional(name_of(*a.alert->suppressed)) : std::nullopt;
  });
  column(reason_of_period);
  column(certificate_of);
  queries.push_back(std::move(out));
}

void write_releases(std::span<decision_row const> all, std::vector<postgres::query>& queries) {
  std::vector<alert const*> released;
  for (auto const& each : all) {
    for (auto const& entry : each.made.release) released.push_back(&entry);
  }
  if (released.empty()) return;
  postgres::query out{release_alerts};
  out.parameters.add_array(released, [](alert const* a) { return a->about; });
  out.parameters.add_array(released, [](alert const* a) { return name_in(types, a->type); });
  out.parameters.add_array(released, [](alert const* a) { return std::int64_t(a->number); });
  out.parameters.add_array(released, [](alert const* a) { return a->id; });
  queries.push_back(std::move(out));
}

/// Updates outages that were open before. A new outage is written with its own `told_at`.
void write_notifications(std::span<decision_row const> all, timestamp now, std::vector<postgres::query>& queries) {
  std::vector<uuid> notified;
  for (auto const& each : all) {
    if (notifies_failure(each.made) && !each.made.opened && each.monitor.state.outage)
      notified.push_back(each.monitor.state.outage->id);
  }
  if (!notified.empty()) queries.push_back({notify_outages, postgres::parameters(notified, now)});
}

}  // namespace

void write_decisions(std::span<decision_row const> all, timestamp now, std::vector<postgres::query>& queries) {
  if (all.empty()) return;
  queries.push_back(statuses_query(all, now));
  write_results(all, queries);
  write_endings(all, queries);
  write_openings(all, now, queries);
  write_alerts(all, queries);
  write_releases(all, queries);
  write_notifications(all, now, queries);
  write_found_causes(all, queries);
  look_at_children_of(all, queries);
}

}  // namespace svc::store
