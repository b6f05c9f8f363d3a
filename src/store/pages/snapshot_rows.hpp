#pragma once

#include "svc/domain/pages/days.hpp"
#include "svc/domain/pages/snapshot.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/pages/snapshot_source.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <vector>

// The rows from which the snapshot of a page is built.

namespace svc::store {

/// Appends the statements of the first round: the page, its components, stored days, incidents with posts,
/// occurrences with posts, and the time.
void ask_snapshot(uuid page, std::vector<postgres::query>& queries);

/// The rows of these statements.
struct snapshot_rows {
  postgres::rows page, evidence, days, incidents, posts, occurrences, occurrence_posts, time;
};
snapshot_rows take_snapshot_rows(std::vector<postgres::rows> found);

/// Returns the page with its facts, incidents, maintenance and components, whose days are still missing. Requires a
/// row of the page.
served_page read_served_page(snapshot_rows const& rows);

/// Returns today, preceded by yesterday while a component's yesterday is not stored yet.
std::vector<pages::local_day> unstored_days(served_page const& served, snapshot_rows const& rows);
/// Sets the days of the components: stored ones, and those of `live` from the second round. The last of `live` is
/// today.
void set_component_days(served_page& served, snapshot_rows const& rows, std::vector<pages::local_day> const& live,
                        std::map<uuid, std::vector<pages::monitor_day>> const& monitors);

}  // namespace svc::store
