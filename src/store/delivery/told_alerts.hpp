#pragma once

#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/delivery_store.hpp"

#include <span>
#include <vector>

namespace svc::store {

/// Reads what these messages tell, for `hand_out`.
postgres::query told_alerts_query(std::vector<uuid> const& messages);
/// Gives each message its alerts.
void hand_out(postgres::rows const& found, std::span<claimed_message> to);

}  // namespace svc::store
