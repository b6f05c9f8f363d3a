#include "store/monitors/verdict_rows.hpp"

#include <algorithm>
#include <array>

namespace svc::store {
namespace {

using namespace alerting;

constexpr postgres::statement write_status{"verdict_write", R"(
UPDATE monitor_status
   SET verdict = $2, since = coalesce($3, since), reason = $4, reason_message = $5, outage_id = $6,
       period_id = $7, last_ended_at = coalesce($8, last_ended_at), look_at = $9
 WHERE monitor_id = $1)"};

// What was computed from the votes before does not count any more.
constexpr postgres::statement change_votes{"verdict_change_votes", R"(
UPDATE check_states SET revision = revision + 1 WHERE monitor_id = $1 AND location_id IS DISTINCT FROM $2)"};

constexpr postgres::statement open_outage_row{"outage_open", R"(
INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, cause, cause_message, cause_location,
                     locations_down)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9))"};

constexpr postgres::statement end_outage_row{
    "outage_end",
    "UPDATE outages SET ended_at = $2, end_reason = $3, excluded_seconds = $4 WHERE id = $1 AND ended_at IS NULL"};

// Behind the end it would come too late.
constexpr postgres::statement drop_acknowledgements{"outage_drop_acknowledgements", R"(
DELETE FROM alerts WHERE about = $1 AND type = 'outage_acknowledged' AND message_id IS NULL)"};

constexpr postgres::statement tell_outage{"outage_told", "UPDATE outages SET told_at = $2 WHERE id = $1"};

// The key keeps what was told from being told again, whatever decides.
constexpr postgres::statement insert_alert{"alert_insert", R"(
INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id, provider_name,
                    status, suppressed_by, error_message, certificate)
VALUES ($1, $2, $3, 'monitor', $4, $5, $6, $7, $8,
        coalesce((SELECT p.name FROM notification_providers p WHERE p.id = $8),
                 (SELECT a.provider_name FROM alerts a WHERE a.about = $6 AND a.provider_id = $8 LIMIT 1), ''),
        CASE WHEN $9::text IS NULL THEN 'pending' ELSE 'suppressed' END, $9, $10, $11)
ON CONFLICT ON CONSTRAINT alerts_told_once DO NOTHING)"};

constexpr postgres::statement release_alert{"alert_release", R"(
UPDATE alerts SET status = 'pending', suppressed_by = NULL
 WHERE about = $1 AND (type = $2 AND number = $3 OR type = 'outage_acknowledged') AND provider_id = $4
   AND status = 'suppressed')"};

constexpr std::array<std::string_view, 5> types{"monitor_failure", "monitor_recovery", "monitor_degraded",
                                                "monitor_error", "ssl_expiring"};
constexpr std::array<std::string_view, 5> ends{"recovered", "paused", "edited", "resumed", "deleted"};
constexpr std::array<std::string_view, 2> suppressions{"muted", "provider_disabled"};

template <class Names, class Value>
std::string_view name_in(Names const& names, Value v) {
  return names[static_cast<std::size_t>(v)];
}

std::int64_t as_number(checks::code of) {
  return static_cast<std::int64_t>(of);
}

/// Of an outage its own row says why.
std::optional<std::string> reason_of_period(decided const& what, alert const& of) {
  bool const begins = of.type == alert_type::monitor_error && of.number == 0;
  return begins && what.made.reason ? std::optional(what.made.reason->message) : std::nullopt;
}

void write_alerts(decided const& what, std::vector<postgres::query>& to) {
  auto const& of = what.of;
  bool failure_told = !what.made.release.empty();
  for (auto const& each : what.made.alerts) {
    std::optional<std::string_view> suppressed;
    if (each.suppressed) suppressed = name_in(suppressions, *each.suppressed);
    failure_told = failure_told || each.type == alert_type::monitor_failure;
    std::optional<std::string> certificate;
    if (each.type == alert_type::ssl_expiring) certificate = checks::certificate_json(*what.made.certificate);
    to.push_back({insert_alert, postgres::parameters(uuid::generate_v7(), of.project, name_in(types, each.type),
                                                     of.id, of.name, each.about, std::int64_t(each.number), each.to,
                                                     suppressed, reason_of_period(what, each), certificate)});
  }
  for (auto const& each : what.made.release) {
    to.push_back({release_alert,
                  postgres::parameters(each.about, name_in(types, each.type), std::int64_t(each.number), each.to)});
  }
  auto const outage = what.made.opened  ? std::optional(what.made.opened->id)
                      : of.state.outage ? std::optional(of.state.outage->id)
                                        : std::nullopt;
  if (failure_told && outage) to.push_back({tell_outage, postgres::parameters(*outage, what.now)});
}

/// Seconds of an outage that nothing is known of. An outage that recovers ends where its good results begin.
std::int64_t excluded(locked_monitor const& of, outage_end const& end) {
  std::int64_t known = 0;
  for (auto const& each : of.locations) {
    auto const& covered = each.covered;
    known = std::max(known, end.why == end_reason::recovered ? covered.in_all - covered.well : covered.in_all);
  }
  auto const lasted = (end.ended_at - of.state.outage->started_at).count() / 1'000'000;
  return std::max<std::int64_t>(0, lasted - known);
}

void write_outages(decided const& what, std::vector<postgres::query>& to) {
  if (auto const& end = what.made.closed) {
    to.push_back({end_outage_row,
                  postgres::parameters(end->id, end->ended_at, name_in(ends, end->why), excluded(what.of, *end))});
    if (what.of.state.outage->acknowledged) to.push_back({drop_acknowledgements, postgres::parameters(end->id)});
  }
  if (auto const& begun = what.made.opened) {
    to.push_back({open_outage_row, postgres::parameters(begun->id, what.of.project, what.of.id, begun->started_at,
                                                        begun->detected_at, as_number(begun->cause.which),
                                                        begun->cause.message, begun->location, begun->locations)});
  }
}

/// The id that stays, begins or goes.
template <class Open>
std::optional<uuid> id_after(std::optional<Open> const& before, std::optional<uuid> begun, bool ended) {
  if (begun) return begun;
  return before && !ended ? std::optional(before->id) : std::nullopt;
}

}  // namespace

void write_decision(decided const& what, std::vector<postgres::query>& to) {
  auto const& made = what.made;
  auto const& before = what.of.state;
  std::optional<uuid> opened;
  if (made.opened) opened = made.opened->id;
  std::optional<std::int64_t> reason;
  std::optional<std::string> message;
  if (made.reason) reason = as_number(made.reason->which), message = made.reason->message;
  to.push_back(
      {write_status,
       postgres::parameters(what.of.id, name_of(made.becomes),
                            made.changed || what.interrupts ? std::optional(what.now) : std::nullopt, reason, message,
                            id_after(before.outage, opened, !!made.closed),
                            id_after(before.period, made.period_begun, !!made.period_ended),
                            made.closed ? std::optional(made.closed->ended_at) : std::nullopt, made.look_again)});
  if (made.changed || made.opened || made.closed) {
    to.push_back({change_votes, postgres::parameters(what.of.id, what.counted)});
  }
  write_outages(what, to);
  write_alerts(what, to);
}

}  // namespace svc::store
