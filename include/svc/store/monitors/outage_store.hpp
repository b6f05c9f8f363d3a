#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/monitoring/checks/result.hpp"
#include "svc/domain/page.hpp"
#include "svc/postgres/query.hpp"
#include "svc/store/change.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A period of verdict down. A value.
struct outage {
  uuid id{}, monitor{};
  timestamp started_at{}, detected_at{};
  std::optional<timestamp> ended_at{};
  std::optional<std::string> end_reason{};  ///< recovered, paused, edited, resumed, deleted
  checks::failure cause{checks::code::internal};
  std::string cause_location{};
  std::vector<std::string> locations_down{};
  std::int64_t duration_seconds = 0;  ///< until now while it is open
  std::int64_t excluded_seconds = 0;  ///< the part of `duration_seconds` without conclusive results
  std::optional<timestamp> acknowledged_at{};
  std::optional<uuid> acknowledged_by{};
  std::optional<uuid> caused_by{};  ///< the outage of a monitor that this one depends on
};

/// An outage with the name of its monitor, also of a deleted one. A value.
struct outage_of_project {
  outage subject{};
  std::string monitor_name{};
};

/// Selects outages that overlap [from, to).
struct outage_filter {
  std::optional<timestamp> start{}, end{};
  std::optional<bool> open{};
};

/// Returns the statement of a list of a project's outages, for tests of its plan.
postgres::query project_outages_query(uuid project, std::optional<uuid> monitor, outage_filter const& filter,
                                      page_request const& wanted);

/// Outages of monitors, including deleted monitors. Worker-local; the pool outlives it. Every method throws
/// `unavailable` when the database is gone or late.
class outage_store {
 public:
  explicit outage_store(postgres::pool& db) : db_(db) {}

  /// Returns the newest outages first. Rows and `total` come from one snapshot.
  task<page<outage>> list(uuid project, uuid monitor, outage_filter filter, page_request wanted, deadline until);
  /// Returns the outages of all monitors of the project, or of one of them, in the same way. Reads only outages that
  /// the filter admits, and one more of each monitor.
  task<page<outage_of_project>> list_of_project(uuid project, std::optional<uuid> monitor, outage_filter filter,
                                                page_request wanted, deadline until);
  /// Returns the number of open outages of all projects.
  task<std::int64_t> count_open(deadline until);
  /// Stops the reminders of an outage, and notifies PagerDuty. A repeated call changes nothing. Errors: not_found,
  /// outage_over.
  task<result<outage>> acknowledge(editor editor, uuid monitor, uuid id, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
