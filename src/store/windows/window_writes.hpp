#pragma once

#include "svc/core/result.hpp"
#include "svc/domain/monitoring/windows/plan.hpp"
#include "svc/domain/monitoring/windows/window.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/change.hpp"

#include <string_view>
#include <vector>

// The statements that write maintenance windows with their targets.

namespace svc::store {

/// Look for those monitors and tags of these targets that a window may have: a deleted monitor only if the window has
/// it already. Two statements, whose rows `check_targets_known` reads.
void look_for_targets(uuid project, uuid window, windows::window_targets const& targets,
                      std::vector<postgres::query>& queries);
/// Errors: validation_failed.
result<> check_targets_known(windows::window_targets const& wanted, postgres::rows const& monitors,
                             postgres::rows const& tags);

/// A new window.
struct new_window {
  uuid id, project, owner;
  windows::window_settings const& set;
  windows::window_plan const& plan;
  std::int64_t slot;
};
/// Look for those pages and components of a publication that a window may have. Two statements, whose rows
/// `check_publication_known` reads.
void look_for_publication(uuid project, windows::window_publication const& shown,
                          std::vector<postgres::query>& queries);
/// Errors: validation_failed.
result<> check_publication_known(windows::window_publication const& wanted, postgres::rows const& pages,
                                 postgres::rows const& components);
/// Replaces the pages and components of a window.
void replace_publication(uuid project, uuid window, windows::window_publication const& shown,
                         std::vector<postgres::query>& queries);
/// Makes the pages show the windows as they are now. Must follow the writes of windows, publications and occurrences.
postgres::query publish_windows_query(std::vector<uuid> const& windows);

postgres::query insert_window_query(new_window const& window);
/// Writes the new settings and raises the version. A window whose slot was given back does not change.
postgres::query update_window_query(uuid project, uuid id, windows::window_settings const& set,
                                    windows::window_plan const& plan);
void insert_targets(uuid project, uuid window, windows::window_targets const& targets,
                    std::vector<postgres::query>& queries);
void replace_targets(uuid project, uuid window, windows::window_targets const& targets,
                     std::vector<postgres::query>& queries);

/// Returns the audit row of a change, and notes that monitors changed, because they show their maintenance.
postgres::query audited_window(editor const& editor, std::string_view verb, uuid id,
                               windows::window_settings const& set);

/// Returns the error of a write that failed because a target was deleted meanwhile, or because the window already had
/// an occurrence with this start. Throws for any other failure.
error refusal_of_window(postgres::server_error const& failure);

}  // namespace svc::store
