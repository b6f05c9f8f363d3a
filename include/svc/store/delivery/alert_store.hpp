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
struct query;
}  // namespace svc::postgres

namespace svc::store {

/// An alert for one provider, with its delivery state. A value.
struct listed_alert {
  alert_details alert{};  ///< a failure contains the end of its outage only if its newest attempt reported that end,
                          ///< or will
  std::string status{};   ///< pending, sent, failed, suppressed
  std::optional<std::string> suppressed_by{};
  uuid provider{};
  std::string provider_name{};  ///< at the time of the alert
  std::int64_t attempts = 0;
  bool grouped = false;         ///< the message contains other alerts too
  bool maybe_repeated = false;  ///< the receiver may have accepted an attempt before the newest
  std::optional<timestamp> last_attempt_at{}, next_attempt_at{}, sent_at{};
  /// Error of the newest attempt, if that failed: a name of the contract, and the HTTP or SMTP status.
  std::optional<std::string> error_reason{};
  std::optional<std::int64_t> error_status{};
};

/// Selects alerts of a project that were written in [from, to).
struct alert_filter {
  std::optional<std::string> target_type{};  ///< monitor, job, provider
  std::optional<uuid> target{};
  std::optional<std::string> type{}, status{};
  std::optional<uuid> provider{};
  std::optional<timestamp> start{}, end{};
};

/// The history of alerts, including alerts about deleted monitors, jobs and providers. Worker-local; the pool
/// outlives it. Every method throws `unavailable` when the database is gone or late.
class alert_store {
 public:
  explicit alert_store(postgres::pool& db) : db_(db) {}

  /// Returns the newest alerts first. Rows and `total` come from one snapshot.
  task<page<listed_alert>> list(uuid project, alert_filter filter, page_request wanted, deadline until);
  task<result<listed_alert>> get(uuid project, uuid id, deadline until);
  /// Queues an alert again, in a new message, after its delivery has failed for good. The end of its outage follows
  /// if that was sent meanwhile, or only recorded while the provider was disabled. So no receiver keeps a start
  /// without its end. If several callers retry an alert at once, one succeeds. Errors: not_found, alert_not_failed
  /// (also while a message with that end is being delivered, because it would arrive first), provider_disabled.
  task<result<listed_alert>> retry(editor editor, uuid id, deadline until);

 private:
  postgres::pool& db_;
};

/// Returns the query of `list`. Tests read its plan.
postgres::query alert_list_query(uuid project, alert_filter const& filter, page_request const& wanted);

}  // namespace svc::store
