#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/runner.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// What a runner wants to execute.
struct claim_request {
  uuid executor;
  std::vector<std::string> labels{};
  std::int64_t most = 1;  ///< at most 100
};

/// What it got, and what the scripts of each project are given.
struct claim_batch {
  std::vector<claimed_run> runs{};
  std::map<uuid, std::vector<revealed_variable>> variables{};
  bool more = false;  ///< others can be claimed, as far as this one saw
};

/// A claim as it stands.
struct held_claim {
  std::int64_t attempt = 1;
  bool cancel = false;  ///< the run is to be cancelled
  uuid project{};       ///< of the run
};

/// A run that its runner does not hold any more.
struct freed_run {
  bool now = false;     ///< by this request; false: by an earlier one that was the same
  bool queued = false;  ///< it waits again
  std::int64_t attempt = 1;
  std::string status{};
  /// Who can be claimed now: this run, or another one of a limited job.
  std::optional<queued_work> work{};
};

/// The queue of record, for runners. Each statement checks by itself that the token is good and that the claim is
/// the run's current one, so nothing that begins behind a revocation or a lost lease is let in, whatever was read
/// before. Worker-local; pool and master keys outlive it. Each method may end by invalid_token and token_revoked, and
/// throws `unavailable` when the database is gone or late.
class runner_store {
 public:
  /// `first_lease`: until a claim's first heartbeat, when that is sooner; 0: no other. `max_per_project`: how many
  /// slots of one runner that projects share one of them may hold; 0: all.
  runner_store(postgres::pool& db, master_keys& master, std::chrono::seconds lease,
               std::chrono::seconds first_lease = {}, std::int64_t max_per_project = 0);
  ~runner_store();
  runner_store(runner_store const&) = delete;
  runner_store& operator=(runner_store const&) = delete;

  task<result<runner_scope>> authenticate(sha256_digest secret, deadline until);
  /// The id of the runner; the same for the same token and name.
  task<result<uuid>> enroll(sha256_digest secret, runner_registration what, deadline until);
  /// Claims runs that the runner may execute, as many as an answer has room for (one always), all in one
  /// transaction: for each slot the oldest run of the project that holds the fewest of this runner's, then of the
  /// one whose last claim is the longest ago. A job with `max_concurrent_runs` never has more runs claimed than that,
  /// and a project never more slots of a shared runner than `max_per_project`, whoever claims where. not_found: no
  /// such runner of this token.
  task<result<claim_batch>> claim(sha256_digest secret, claim_request wanted, deadline until);
  /// Extends the lease. claim_lost.
  task<result<held_claim>> extend(sha256_digest secret, uuid run, uuid claim, deadline until);
  /// Looks, and changes nothing. claim_lost.
  task<result<held_claim>> look(sha256_digest secret, uuid run, uuid claim, deadline until);
  /// Ends the run; again the same is no error. Those that come together share a transaction; each is judged and told
  /// by itself. claim_lost.
  task<result<freed_run>> complete(sha256_digest secret, run_completion what, deadline until);
  /// Puts the run back, at its old place in the queue; one that is to be cancelled ends. claim_lost.
  task<result<freed_run>> release(sha256_digest secret, uuid run, uuid claim, deadline until);
  /// Which of these runs somebody should look at: to be cancelled, or not running any more.
  task<std::vector<uuid>> changed(std::vector<uuid> runs, deadline until);

  std::chrono::seconds lease() const { return lease_; }
  std::chrono::seconds first_lease() const { return first_lease_; }

 private:
  postgres::pool& db_;
  master_keys& master_;
  std::chrono::seconds lease_, first_lease_;
  std::int64_t max_per_project_;
  struct shared;
  std::unique_ptr<shared> shared_;  ///< transactions of several requests
};

/// A run that was taken from its runner.
struct reaped_run {
  uuid run;
  std::int64_t attempt = 0;  ///< the one that was lost
  std::string status{};      ///< queued: it waits for another claim; otherwise it is over
  uuid organization{};
  uuid project{};
  std::string job_type{};
  bool limited = false;  ///< another run of its job may be claimed in its place

  bool queued() const { return status == "queued"; }
};

/// Ends or requeues runs whose runner does not come back. Any number of instances do it; each run is taken once,
/// and its claim id is gone with that, so whatever the runner still says of it is refused. Worker-local; the pool
/// outlives it.
class reaper_store {
 public:
  explicit reaper_store(postgres::pool& db) : db_(db) {}

  /// Up to `most` running runs whose lease is over, or which run for a minute longer than they may. In this order:
  /// `cancelled` if that was asked for, `timed_out`, `queued` if its claim was lost at most `retries` - 1 times
  /// before, `error`. Those that end are due to the mover. Throws `unavailable`.
  task<std::vector<reaped_run>> reap(std::int64_t most, std::int64_t retries, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
