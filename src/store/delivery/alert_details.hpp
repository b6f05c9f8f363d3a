#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/delivery/delivery_store.hpp"

#include <span>
#include <vector>

namespace svc::store {

// The columns of alerts `a` that `read_alert_details` reads, in its order, and the joins that they need.
inline constexpr auto alert_columns =
    sql(" a.id, a.type, a.number, a.created_at, a.about, a.target_type, a.target_name, a.target_id,"
        " coalesce(m.type, ''), coalesce(m.target, ''),"
        " coalesce(m.alert_config ->> 'customMessage', j.alert_config ->> 'customMessage', pp.body,"
        " po.body, ''),"
        " coalesce(a.error_message, ''), o.started_at, o.ended_at, o.end_reason, o.cause, o.cause_message,"
        " o.cause_location, o.locations_down, coalesce(a.certificate, ''), r.status, r.duration_ms ");
inline constexpr auto alert_joins =
    sql(" LEFT JOIN monitors m ON a.target_type = 'monitor' AND m.id = a.target_id"
        " LEFT JOIN jobs j ON a.target_type = 'job' AND j.id = a.target_id"
        " LEFT JOIN LATERAL (SELECT e.status, (extract(epoch FROM e.completed_at - e.started_at) * 1000)::bigint"
        " AS duration_ms FROM run_results e WHERE a.target_type = 'job' AND e.run_id = a.about LIMIT 1) r ON true"
        " LEFT JOIN outages o ON a.type IN ('monitor_failure', 'monitor_recovery', 'outage_acknowledged')"
        " AND o.id = a.about"
        " LEFT JOIN page_posts pp ON a.target_type = 'status_page' AND pp.id = a.about"
        " LEFT JOIN page_occurrences po ON a.target_type = 'status_page' AND po.page_id = a.target_id"
        " AND po.occurrence_id = a.about ");

/// Number of these columns.
inline constexpr int alert_column_count = 22;

alert_details read_alert_details(postgres::row r, int first);

/// Reads the alerts of these messages, for `hand_out`.
postgres::query alert_details_query(std::vector<uuid> const& messages);
/// Gives each message its alerts.
void hand_out(postgres::rows const& found, std::span<claimed_message> messages);

}  // namespace svc::store
