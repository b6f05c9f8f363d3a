#include "store/delivery/told_alerts.hpp"

#include <algorithm>

namespace svc::store {
namespace {

// Of what a message tells of the same outage or period the newest is enough, and of a failure and its end the
// failure, because an outage's end is known when it is told.
constexpr postgres::statement read_told{"delivery_told", R"(
SELECT a.message_id, a.id, a.type, a.number, a.created_at, a.about, a.target_type, a.target_name, a.target_id,
       coalesce(m.type, ''), coalesce(m.target, ''),
       coalesce(m.alert_config ->> 'customMessage', j.alert_config ->> 'customMessage', ''),
       coalesce(a.error_message, ''), o.started_at, o.ended_at, o.end_reason, o.cause, o.cause_message,
       o.cause_location, o.locations_down, coalesce(a.certificate, ''), r.status, r.duration_ms
  FROM (SELECT x.*, max(x.number) OVER (PARTITION BY x.message_id, x.about, x.type) AS newest,
               bool_or(x.type = 'monitor_failure') OVER (PARTITION BY x.message_id, x.about) AS fails
          FROM alerts x WHERE x.message_id = ANY ($1)) a
  LEFT JOIN monitors m ON a.target_type = 'monitor' AND m.id = a.target_id
  LEFT JOIN jobs j ON a.target_type = 'job' AND j.id = a.target_id
  LEFT JOIN LATERAL (
    SELECT e.status, (extract(epoch FROM e.completed_at - e.started_at) * 1000)::bigint AS duration_ms
      FROM run_results e WHERE a.target_type = 'job' AND e.run_id = a.about LIMIT 1) r ON true
  LEFT JOIN outages o ON a.type IN ('monitor_failure', 'monitor_recovery') AND o.id = a.about
 WHERE a.number = a.newest AND NOT (a.type = 'monitor_recovery' AND a.fails)
 ORDER BY a.message_id, a.created_at, a.id)"};

told_alert::outage_times read_outage_times(postgres::row r) {
  return {.started_at = r.time(13),
          .ended_at = r.maybe_time(14),
          .end_reason = r.maybe_text(15).value_or(""),
          .cause = checks::failure(static_cast<checks::code>(r.integer(16)), std::string(r.text(17))),
          .location = std::string(r.text(18)),
          .locations = r.texts(19)};
}

told_alert read_told_alert(postgres::row r) {
  told_alert out{.id = r.id(1),
                 .type = std::string(r.text(2)),
                 .at = r.time(4),
                 .about = r.id(5),
                 .target_type = std::string(r.text(6)),
                 .target_name = std::string(r.text(7)),
                 .target = r.id(8),
                 .monitor_type = std::string(r.text(9)),
                 .monitor_target = std::string(r.text(10)),
                 .custom_message = std::string(r.text(11)),
                 .error_message = std::string(r.text(12)),
                 .certificate = std::string(r.text(20))};
  if (out.type == "monitor_failure") out.reminder = r.integer(3);
  out.ended = (out.type == "monitor_degraded" || out.type == "monitor_error") && r.integer(3) == 1;
  if (!r.is_null(13)) out.outage = read_outage_times(r);
  if (!r.is_null(21)) out.run = told_alert::run_end{std::string(r.text(21)), r.maybe_integer(22)};
  return out;
}

}  // namespace

postgres::query told_alerts_query(std::vector<uuid> const& messages) {
  return {read_told, postgres::parameters(messages)};
}

void hand_out(postgres::rows const& found, std::span<claimed_message> to) {
  for (int i = 0; i < found.size(); ++i) {
    auto const of = std::ranges::find(to, found[i].id(0), &claimed_message::id);
    if (of != to.end()) of->alerts.push_back(read_told_alert(found[i]));
  }
}

}  // namespace svc::store
