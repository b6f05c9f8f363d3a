#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/monitor.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/quota.hpp"
#include "svc/store/change.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// The order of a list. `status` puts the worst status first.
enum class monitor_order : std::uint8_t { newest, name, status };

/// Selects monitors of a list; an empty filter matches all.
struct monitor_filter {
  std::optional<std::string> status{};  ///< as shown: a verdict, or `paused`
  std::optional<std::string> type{};
  std::optional<std::string> search{};  ///< literal, case-insensitive substring of the name
  std::optional<std::string> tag{};     ///< name of a tag of the monitor
  bool deleted = false;                 ///< true: only deleted monitors, the newest first
  monitor_order order = monitor_order::newest;
};

/// Computes a monitor's new settings from its current ones (masked; a mask keeps the stored secret). Pure; called
/// while the monitor is locked.
using monitor_edit = std::function<result<monitor_settings>(monitor const& current)>;

/// Does the expensive work of an edit before the monitor is locked. The edit fails with `overloaded` if
/// somebody keeps changing the monitor, so that the work must be done again.
using monitor_preparation = std::function<void(monitor const& current)>;

/// Limits of a project's deleted monitors that can be restored: their number, and the bytes of their
/// configurations on disk (by default as many as of live monitors). Each deletion removes the oldest beyond
/// these limits.
inline constexpr std::int64_t most_deleted = 1000;
inline constexpr std::int64_t most_deleted_bytes = 64LL * 1024 * 1024;

/// Monitors as users see and set them, with the secrets of their configs sealed (`monitor_secrets` opens
/// them). The transaction of a change also ends outages that the change interrupts, and writes their alerts.
/// Worker-local; the pool and the master keys outlive it. Every method throws `unavailable` when the database
/// is gone or late, or a sealed secret cannot be opened; then a change may or may not have happened.
class monitor_store {
 public:
  monitor_store(postgres::pool& db, master_keys& master, quota_table quotas = {})
      : db_(db), master_(master), quotas_(quotas) {}

  /// Rows and `total` (page_facts) come from one snapshot.
  task<page<monitor>> list(uuid project, monitor_filter filter, page_request wanted, deadline until);
  /// Also finds deleted monitors. Errors: not_found.
  task<result<monitor>> get(uuid project, uuid id, deadline until);
  /// validation_failed (alert providers, a mask, parents), project_archived, monitor_limit_reached. The caller has
  /// checked everything else about the settings.
  task<result<monitor>> create(editor editor, uuid owner, monitor_settings wanted, deadline until);
  /// Also pauses and resumes. `verb` is for the audit trail: updated, paused or resumed. Pausing a paused
  /// monitor, or resuming a running one, writes nothing. Errors: not_found (also for deleted monitors),
  /// precondition_failed, validation_failed, monitor_limit_reached (a larger config), dependency_cycle, overloaded
  /// (others changed the monitor after each of the `most_preparations`), and any error of `edit`. A change of
  /// `depends_on` locks the project, so that concurrent changes close no cycle.
  task<result<monitor>> update(editor editor, uuid id, monitor_edit edit, std::string verb, deadline until,
                               monitor_preparation prepare = nullptr);
  static constexpr int most_preparations = 3;
  /// Leaves a tombstone, and removes the project's oldest tombstones beyond `most_deleted`. Errors:
  /// not_found, precondition_failed.
  task<result<>> remove(editor editor, uuid id, deadline until);
  /// Restores a deleted monitor, paused. Errors: not_found, monitor_not_deleted, monitor_limit_reached.
  task<result<monitor>> restore(editor editor, uuid id, deadline until);
  /// Replaces the monitor's tags. Errors: not_found (also for deleted monitors), precondition_failed,
  /// validation_failed.
  task<result<monitor>> set_tags(editor editor, uuid id, std::vector<uuid> tags, deadline until);

 private:
  /// The lock of the project that a change of dependencies needs.
  enum class dependency_lock : std::uint8_t { absent, held };

  task<result<monitor>> edit_now(editor editor, uuid id, monitor_edit edit, std::string verb, deadline until);
  /// Returns nothing if the edit needs the lock and does not have it; then nothing was written.
  task<std::optional<result<monitor>>> edit_locked(editor editor, uuid id, monitor_edit edit, std::string verb,
                                                   dependency_lock lock, deadline until);

  postgres::pool& db_;
  master_keys& master_;
  quota_table quotas_;
};

}  // namespace svc::store
