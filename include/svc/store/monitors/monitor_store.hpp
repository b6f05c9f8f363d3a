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

/// By status what is worst comes first.
enum class monitor_order : std::uint8_t { newest, name, status };

/// Selects monitors of a list; an empty filter matches all.
struct monitor_filter {
  std::optional<std::string> status{};  ///< as shown: a verdict, or `paused`
  std::optional<std::string> type{};
  std::optional<std::string> search{};  ///< literal, case-insensitive substring of the name
  std::optional<std::string> tag{};     ///< name of one that it wears
  bool deleted = false;                 ///< those alone, the newest first
  monitor_order order = monitor_order::newest;
};

/// Computes a monitor's new settings from its current ones (masked; a mask keeps the stored secret). Pure; called
/// while the monitor is locked.
using monitor_edit = std::function<result<monitor_settings>(monitor const& current)>;

/// Does what is expensive about an edit, before the monitor is locked. The edit fails with `overloaded` if somebody
/// changed the monitor so that this must be done again.
using monitor_preparation = std::function<void(monitor const& current)>;

/// Deleted monitors of a project that can be restored: at most so many, with so many bytes of configurations on disk
/// (as many as live ones may have by default). With each deletion the oldest beyond that go for good.
inline constexpr std::int64_t most_deleted = 1000;
inline constexpr std::int64_t most_deleted_bytes = 64LL * 1024 * 1024;

/// Monitors as users see and set them, with the secrets of their configs sealed (`monitor_secrets` opens them). What
/// a change ends is ended, and told, in its transaction. Worker-local; the pool and the master keys outlive it. Every
/// method throws `unavailable` when the database is gone or late, or a sealed secret cannot be opened; then a change
/// may or may not have happened.
class monitor_store {
 public:
  monitor_store(postgres::pool& db, master_keys& master, quota_table quotas = {})
      : db_(db), master_(master), quotas_(quotas) {}

  /// Rows and `total` (page_facts) come from one snapshot.
  task<page<monitor>> list(uuid project, monitor_filter filter, page_request wanted, deadline until);
  /// Deleted ones too. not_found.
  task<result<monitor>> get(uuid project, uuid id, deadline until);
  /// validation_failed (alert providers, a mask), project_archived, monitor_limit_reached. The caller has checked
  /// everything else about the settings.
  task<result<monitor>> create(editor editor, uuid owner, monitor_settings wanted, deadline until);
  /// Also pauses and resumes. not_found (deleted ones too), precondition_failed, validation_failed,
  /// monitor_limit_reached (a larger config), and any error of `edit`. `verb` is what the audit trail says of it:
  /// updated, paused, resumed; of the latter two nothing is written when the monitor is so already.
  /// overloaded: others changed the monitor after each of the `most_preparations`.
  task<result<monitor>> update(editor editor, uuid id, monitor_edit edit, std::string verb, deadline until,
                               monitor_preparation prepare = nullptr);
  static constexpr int most_preparations = 3;
  /// Leaves a tombstone, and removes the project's oldest ones beyond `most_deleted`. not_found, precondition_failed.
  task<result<>> remove(editor editor, uuid id, deadline until);
  /// Brings a deleted one back, paused. not_found, monitor_not_deleted, monitor_limit_reached.
  task<result<monitor>> restore(editor editor, uuid id, deadline until);
  /// The monitor wears these tags and no others. not_found (deleted ones too), precondition_failed,
  /// validation_failed.
  task<result<monitor>> set_tags(editor editor, uuid id, std::vector<uuid> tags, deadline until);

 private:
  task<result<monitor>> edit_locked(editor editor, uuid id, monitor_edit edit, std::string verb, deadline until);

  postgres::pool& db_;
  master_keys& master_;
  quota_table quotas_;
};

}  // namespace svc::store
