#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/store/change.hpp"
#include "svc/store/queue_gate.hpp"

#include <memory>
#include <string>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// What a caller wants to run. A value.
struct trigger_request {
  uuid job;
  std::string parameters = "{}";  ///< a JSON object of strings
  std::string triggered_by;       ///< name of the token or key
  std::string idempotency_key{};  ///< empty: none
  std::string request_hash{};     ///< with a key: 64 hexadecimal digits that tell requests of the job apart
  std::string dedup_key{};        ///< empty: none
};

/// Where the run of an answer comes from.
enum class run_origin : std::uint8_t {
  made,      ///< by this request
  replayed,  ///< by an earlier request with the same idempotency key
  joined,    ///< it waits under the same dedup key
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
  bool deleted = false;  ///< it was replayed after its deletion; this is all that is known of it
};

/// Makes runs. Triggers that arrive while others are being committed share the next commit; a lone one leaves at
/// once. Worker-local; the pool outlives it. A batch that is on its way ends by its own time limit, even if callers
/// have given up: what it committed stays true.
class trigger_batcher {
 public:
  trigger_batcher(asio::io_context& io, postgres::pool& db, queue_gate gate = {});
  ~trigger_batcher();
  trigger_batcher(trigger_batcher const&) = delete;
  trigger_batcher& operator=(trigger_batcher const&) = delete;

  /// Run, idempotency row and audit row in one transaction, in one round trip. not_found, job_disabled,
  /// job_has_no_tests, validation_failed with `/parameters/NAME` for each that is undeclared or missing, queue_full,
  /// idempotency_mismatch, idempotency_in_progress (the key's first request is not over by the deadline), or why the
  /// caller may no longer write. Throws `unavailable` when the database is gone or late; then the run may or may not
  /// exist, and only a retry under the same idempotency key is safe.
  task<result<triggered_run>> trigger(editor by, trigger_request wanted, deadline until);

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace svc::store
