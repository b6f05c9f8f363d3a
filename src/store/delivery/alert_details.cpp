#include "store/delivery/alert_details.hpp"
#include "store/sql/sql_text.hpp"

#include <algorithm>

namespace svc::store {
namespace {

// For each outage or period a message contains only the newest alert of a type. A failure replaces its recovery,
// because a failure is sent with the end of its outage.
constexpr auto select_alert_details_sql =
    sql("SELECT a.message_id,", alert_columns,
        "FROM (SELECT x.*, max(x.number) OVER (PARTITION BY x.message_id, x.about, x.type) AS newest,"
        " bool_or(x.type = 'monitor_failure') OVER (PARTITION BY x.message_id, x.about) AS fails"
        " FROM alerts x WHERE x.message_id = ANY ($1)) a",
        alert_joins,
        "WHERE a.number = a.newest AND NOT (a.type = 'monitor_recovery' AND a.fails)"
        " ORDER BY a.message_id, a.created_at, a.id");
constexpr postgres::statement select_alert_details{"delivery_told", select_alert_details_sql};

/// Reads the columns from the outage's start on.
alert_details::outage_times read_outage_times(postgres::row r, int first) {
  return {.started_at = r.time(first),
          .ended_at = r.maybe_time(first + 1),
          .end_reason = r.maybe_text(first + 2).value_or(""),
          .cause = checks::failure(static_cast<checks::code>(r.integer(first + 3)), std::string(r.text(first + 4))),
          .location = std::string(r.text(first + 5)),
          .locations = r.texts(first + 6)};
}

}  // namespace

alert_details read_alert_details(postgres::row r, int first) {
  alert_details out{.id = r.id(first),
                    .type = std::string(r.text(first + 1)),
                    .time = r.time(first + 3),
                    .about = r.id(first + 4),
                    .target_type = std::string(r.text(first + 5)),
                    .target_name = std::string(r.text(first + 6)),
                    .target = r.id(first + 7),
                    .monitor_type = std::string(r.text(first + 8)),
                    .monitor_target = std::string(r.text(first + 9)),
                    .custom_message = std::string(r.text(first + 10)),
                    .error_message = std::string(r.text(first + 11)),
                    .certificate = std::string(r.text(first + 19))};
  if (out.type == "monitor_failure") out.reminder = r.integer(first + 2);
  out.ended = (out.type == "monitor_degraded" || out.type == "monitor_error") && r.integer(first + 2) == 1;
  constexpr int outage = 12;
  if (!r.is_null(first + outage)) out.outage = read_outage_times(r, first + outage);
  if (!r.is_null(first + 20))
    out.run = alert_details::run_end{std::string(r.text(first + 20)), r.maybe_integer(first + 21)};
  return out;
}

postgres::query alert_details_query(std::vector<uuid> const& messages) {
  return {select_alert_details, postgres::parameters(messages)};
}

void hand_out(postgres::rows const& found, std::span<claimed_message> messages) {
  for (int i = 0; i < found.size(); ++i) {
    auto const iterator = std::ranges::find(messages, found[i].id(0), &claimed_message::id);
    if (iterator != messages.end()) iterator->alerts.push_back(read_alert_details(found[i], 1));
  }
}

}  // namespace svc::store
