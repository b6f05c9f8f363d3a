#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/store/change.hpp"
#include "svc/store/runs/queue_gate.hpp"

#include <functional>
#include <memory>
#include <string>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A request to run a job. A value.
struct trigger_request {
  uuid job;
  std::string parameters = "{}";  ///< a JSON object of strings
  std::string triggered_by;       ///< the name of the token or key
  std::string idempotency_key{};  ///< empty: none
  std::string request_hash{};     ///< with a key: 64 hexadecimal digits that distinguish requests for the job
  std::string dedup_key{};        ///< empty: none
  std::string trace_parent{};     ///< the value of TRACEPARENT for the run's scripts; empty: none
};

/// The origin of the run in a response.
enum class run_origin : std::uint8_t {
  made,      ///< created by this request
  replayed,  ///< created by an earlier request with the same idempotency key
  joined,    ///< already queued under the same dedup key
};

/// A run that is committed.
struct triggered_run {
  uuid run;
  std::string job_name;
  std::string job_type;
  std::string status;
  std::int64_t test_count = 0;
  std::string triggered_by;
  timestamp queued_at;
  run_origin origin = run_origin::made;
  bool deleted = false;  ///< replayed after its deletion; nothing else is known about it
};

/// Creates the runs of jobs. Triggers that arrive during a commit share the next commit; a single trigger is sent at
/// once. Worker-local; the pool outlives it. A sent batch is not cancelled when its callers give up. The batch
/// continues until its own time limit, and committed runs stay committed.
class trigger_batcher {
 public:
  trigger_batcher(asio::io_context& io, postgres::pool& db, queue_gate gate = {});
  ~trigger_batcher();
  trigger_batcher(trigger_batcher const&) = delete;
  trigger_batcher& operator=(trigger_batcher const&) = delete;

  /// Writes run, idempotency row and audit row in one transaction and one round trip.
  /// Errors: not_found, job_disabled, job_has_no_tests, validation_failed with `/parameters/NAME` for each undeclared
  /// or missing parameter, queue_full, idempotency_mismatch, idempotency_in_progress, or the reason why the caller
  /// may no longer write. `idempotency_in_progress`: the key's first request has not finished by the deadline, or
  /// `key_waits` allows no further waiting trigger. Throws `unavailable` when the database is gone or late, and for
  /// too many triggers with one dedup key. Then the run may or may not exist, and only a retry under the same
  /// idempotency key is safe.
  task<result<triggered_run>> trigger(editor editor, trigger_request wanted, deadline until);

  /// Calls `queued` for each run that was created and committed, also if its caller has given up.
  void on_queued(std::function<void(uuid project, uuid job, uuid run)> queued);

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace svc::store
