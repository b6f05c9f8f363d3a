#pragma once

#include "svc/domain/monitoring/windows/plan.hpp"
#include "svc/domain/monitoring/windows/window.hpp"
#include "svc/postgres/query.hpp"

#include <cstdint>
#include <optional>
#include <vector>

// The statements that write occurrences, and that make others read them. All run under the lock of the project, which
// all writers of its windows hold until COMMIT.

namespace svc::store {

/// Locks the project for a write to its windows. Waits for creations of monitors and changes of their tags, which
/// lock the project FOR SHARE, so that no monitor becomes covered unseen. Column 0: the project is archived.
postgres::query lock_windows_query(uuid project);
/// Reads the database's time. Must be a statement after the lock, because a statement's own time is older than its
/// wait. Column 0.
postgres::query window_time_query();

/// Gives the slots of finished windows back, and deletes the oldest finished windows beyond `windows::most_finished`.
void retire_windows(uuid project, std::vector<postgres::query>& queries);

/// A window and the occurrences that it must have.
struct planned_window {
  uuid id{};
  bool exclude_from_uptime = true;
  windows::window_plan plan;
};
/// The fate of announced occurrences that are not planned. A new rule cancels them; new rules of time zones do not.
enum class announced_fate : std::uint8_t { cancelled, kept };
/// Writes the planned occurrences, and deletes others that start after `now`. Occurrences with the same start keep
/// their ids. The number of statements does not depend on the number of windows. The first two statements return
/// the windows whose occurrences changed, and the starts of these: deleted ones, then added ones.
void write_occurrences(uuid project, std::vector<planned_window> const& all, timestamp now,
                       std::vector<postgres::query>& queries, announced_fate announced = announced_fate::cancelled);
inline constexpr std::size_t occurrence_changes = 2;  ///< the number of these statements
/// Deletes the project's oldest occurrences beyond `windows::most_occurrences`. None of them is unfinished, because
/// 100 windows have at most 64 each.
postgres::query trim_occurrences_query(uuid project);

/// Locks the monitors that the window covers now or with these targets, in the order that all transactions share.
/// Column 0: their ids.
postgres::query lock_covered_query(uuid project, uuid window, windows::window_targets const& targets);
/// Makes the schedulers of these monitors read the occurrences, and makes a decision due on the monitors that are not
/// up.
void touch_monitors(std::vector<uuid> const& locked, std::vector<postgres::query>& queries);

}  // namespace svc::store
