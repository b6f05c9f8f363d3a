#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/page.hpp"
#include "svc/store/change.hpp"
#include "svc/store/delivery/delivery_store.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// One thing that one provider is told, and what came of it. A value.
struct listed_alert {
  told_alert alert{};    ///< a failure with its outage's end only if its newest attempt told that, or will
  std::string status{};  ///< pending, sent, failed, suppressed
  std::optional<std::string> suppressed_by{};
  uuid provider{};
  std::string provider_name{};  ///< as it was
  std::int64_t attempts = 0;
  bool grouped = false;         ///< others were told in the same message
  bool maybe_repeated = false;  ///< an attempt before the newest may have been taken
  std::optional<timestamp> last_attempt_at{}, next_attempt_at{}, sent_at{};
  /// Of the newest attempt, if it failed: by the contract's names, and the status of HTTP or SMTP.
  std::optional<std::string> error_reason{};
  std::optional<std::int64_t> error_status{};
};

/// Selects alerts of a project: those that were written in [from, to).
struct alert_filter {
  std::optional<std::string> target_type{};  ///< monitor, job, provider
  std::optional<uuid> target{};
  std::optional<std::string> type{}, status{};
  std::optional<uuid> provider{};
  std::optional<timestamp> start{}, end{};
};

/// The history of alerts; those of deleted monitors, jobs and providers too. Worker-local; the pool outlives it.
/// Every method throws `unavailable` when the database is gone or late.
class alert_store {
 public:
  explicit alert_store(postgres::pool& db) : db_(db) {}

  /// Newest first. Rows and `total` come from one snapshot.
  task<page<listed_alert>> list(uuid project, alert_filter filter, page_request wanted, deadline until);
  task<result<listed_alert>> get(uuid project, uuid id, deadline until);
  /// Has one whose message was given up told again, by a new message in its turn; and after it the end of what it
  /// tells, if that was told meanwhile or only recorded while the provider was disabled, so that no receiver is left
  /// with a begin. Of several that ask at once one succeeds. not_found, alert_not_failed (also while a message with
  /// that end is under way, which would go first), provider_disabled.
  task<result<listed_alert>> retry(editor editor, uuid id, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
