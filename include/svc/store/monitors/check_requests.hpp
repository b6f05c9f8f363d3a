#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/monitoring/checks/packed_hour.hpp"
#include "svc/store/change.hpp"
#include "svc/store/monitors/check_history.hpp"
#include "svc/store/monitors/check_store.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A requested check that a caller waits for. A value.
struct check_request {
  uuid id{}, monitor{};
  checks::kind asked_by = checks::kind::manual;  ///< confirm or manual
};

/// Requests for immediate checks at one location. The scheduler of the monitor's shard runs these checks. A result
/// counts through `check_store::decide`, and only while its request is open. Worker-local; the pool outlives it.
/// Every method throws `unavailable` when the database is gone or late.
class check_requests {
 public:
  /// A request that has no result after this time is closed without one.
  static constexpr std::chrono::seconds longest_open{60};

  explicit check_requests(postgres::pool& db, uuid location = own_location) : db_(db), location_(location) {}

  /// Requests an immediate check, or joins a request that is already open. Errors: not_found (also for deleted
  /// monitors), type_not_checkable, monitor_paused, project_archived.
  task<result<uuid>> ask(editor editor, uuid monitor, deadline until);

  struct state {
    bool closed = false;
    std::optional<listed_result>
        found{};  ///< nothing although the request is closed: no scheduler could run the check
  };
  /// Returns the requests among these that are closed.
  task<std::vector<uuid>> closed(std::vector<uuid> requests, deadline until);
  /// Returns the current state of a request.
  task<state> look(uuid request, deadline until);

  /// Returns the open requests in these shards, and closes those that are too old.
  task<std::vector<check_request>> open_in(std::vector<std::int64_t> shards, deadline until);

 private:
  postgres::pool& db_;
  uuid location_;
};

}  // namespace svc::store
