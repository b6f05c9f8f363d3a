#pragma once

#include "svc/domain/pages/days.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <vector>

// The rows from which the bars of days are computed.

namespace svc::store {

/// Appends the statements that read the observed seconds and outages of these monitors in these days, which follow
/// one another. An hour belongs to the day in which it starts. Days that are older than packed hours are read as UTC
/// days.
void ask_monitor_days(std::vector<uuid> const& monitors, std::vector<pages::local_day> const& days, timestamp now,
                      std::vector<postgres::query>& queries);
inline constexpr std::size_t monitor_day_queries = 2;

/// Returns the days of each monitor, in the order of `days`; a monitor without rows is missing. `found`: the rows of
/// the statements above.
std::map<uuid, std::vector<pages::monitor_day>> read_monitor_days(std::span<postgres::rows const> found,
                                                                  std::vector<pages::local_day> const& days);

/// Returns the days `number` of these monitors, with an empty one for each monitor without rows.
std::vector<pages::monitor_day> days_of_monitors(std::map<uuid, std::vector<pages::monitor_day>> const& all,
                                                 std::vector<uuid> const& monitors, std::size_t number);

}  // namespace svc::store
