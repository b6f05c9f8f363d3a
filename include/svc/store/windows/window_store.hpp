#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/monitoring/windows/window.hpp"
#include "svc/domain/page.hpp"
#include "svc/store/change.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Selects windows of a list; an empty filter matches all.
struct window_filter {
  std::optional<windows::window_state> state{};
  std::optional<uuid> monitor{};  ///< windows that cover this monitor; an unknown or deleted monitor has none
};

/// Computes a window's new settings from its current ones. Pure; called while the window is locked.
using window_edit = std::function<result<windows::window_settings>(windows::window const& current)>;

/// Maintenance windows with their occurrences. Each change of a window locks its project, writes the occurrences
/// ahead, and makes the scheduler and the next decision of each covered monitor read them. Worker-local; the pool
/// outlives it. Every method throws `unavailable` when the database is gone or late; then a change may or may not
/// have happened.
class window_store {
 public:
  explicit window_store(postgres::pool& db) : db_(db) {}

  /// The newest window first. Rows and `total` (page_facts) come from one snapshot.
  task<page<windows::window>> list(uuid project, window_filter filter, page_request wanted, deadline until);
  /// Errors: not_found.
  task<result<windows::window>> get(uuid project, uuid id, deadline until);
  /// Errors: project_archived, validation_failed (`windows::check_settings`, unknown monitors or tags),
  /// window_limit_reached (100 unfinished windows of a project).
  task<result<windows::window>> create(editor editor, uuid owner, windows::window_settings wanted, deadline until);
  /// Starts a window now that covers one monitor, is named after it, and excludes its time from the uptime.
  /// `duration`: 1 to 10 080 minutes. Errors: project_archived, not_found (also for a deleted monitor),
  /// window_limit_reached.
  task<result<windows::window>> start(editor editor, uuid owner, uuid monitor, std::chrono::minutes duration,
                                      std::optional<std::string> description, deadline until);
  /// An occurrence that has started keeps its start; others follow the new rule. Errors: not_found,
  /// precondition_failed, window_over (the window is finished), validation_failed, project_archived, and any error
  /// of `edit`.
  task<result<windows::window>> update(editor editor, uuid id, window_edit edit, deadline until);
  /// Ends the active occurrence now. A window that happens once is finished then; a recurring one continues with its
  /// next occurrence. Errors: not_found, precondition_failed, window_not_active.
  task<result<windows::window>> end(editor editor, uuid id, deadline until);
  /// Deletes the window with its occurrences. Errors: not_found, precondition_failed.
  task<result<>> remove(editor editor, uuid id, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
