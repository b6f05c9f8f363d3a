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

/// A check out of turn that somebody waits for. A value.
struct check_request {
  uuid id{}, monitor{};
  checks::kind asked_by = checks::kind::manual;  ///< confirm or manual
};

/// Checks that are asked for out of turn, at one location. Who holds the monitor's shard makes them; the result
/// counts through `check_store::decide`, and only while its request is open. Worker-local; the pool outlives it.
/// Every method throws `unavailable` when the database is gone or late.
class check_requests {
 public:
  /// Who has found no answer by then gets none.
  static constexpr std::chrono::seconds longest_open{60};

  explicit check_requests(postgres::pool& db, uuid location = own_location) : db_(db), location_(location) {}

  /// Asks for a check now; while one is asked for already, for that one. not_found (deleted ones too),
  /// type_not_checkable, monitor_paused, project_archived.
  task<result<uuid>> ask(editor editor, uuid monitor, deadline until);

  struct state {
    bool closed = false;
    std::optional<listed_result> found{};  ///< nothing although it is closed: nobody could make the check
  };
  /// Which of these wait no longer.
  task<std::vector<uuid>> closed(std::vector<uuid> requests, deadline until);
  /// What has become of it.
  task<state> look(uuid request, deadline until);

  /// The open ones in these shards; ends those that are too old.
  task<std::vector<check_request>> open_in(std::vector<std::int64_t> shards, deadline until);

 private:
  postgres::pool& db_;
  uuid location_;
};

}  // namespace svc::store
