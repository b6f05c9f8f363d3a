#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/runner.hpp"
#include "svc/store/runs/output_store.hpp"

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

/// A runner's request for runs to execute.
struct claim_request {
  uuid runner;
  std::vector<std::string> labels{};
  std::int64_t most = 1;       ///< at most 100
  bool scripts_apart = false;  ///< the tests have their scripts' versions instead of the scripts
};

/// The claimed runs, and for each of their projects the variables that its scripts may use.
struct claim_batch {
  std::vector<claimed_run> runs{};
  std::map<uuid, std::vector<revealed_variable>> variables{};
  bool more = false;  ///< the claim saw more runs that can be claimed
};

/// Scripts of a claimed run.
struct given_scripts {
  std::vector<std::string> texts{};  ///< {id, version, script}, each in JSON
  bool more = false;                 ///< not all fit
};

/// The current state of a claim.
struct held_claim {
  std::int64_t attempt = 1;
  bool cancel = false;  ///< the run is to be cancelled
  uuid project{};       ///< the run's project
};

/// A run, and the claim under which a runner holds the run, as the runner says.
struct claim_name {
  uuid run, claim;
};

/// The state of several claims, in order. Empty: the claim is lost.
using held_claims = std::vector<std::optional<held_claim>>;

/// A run that its runner no longer holds.
struct freed_run {
  bool now = false;     ///< freed by this request; false: by an earlier identical one
  bool queued = false;  ///< it is queued again
  std::int64_t attempt = 1;
  std::string status{};
  /// Work that can be claimed now: this run, or another one of the same limited job.
  std::optional<queued_work> work{};
  uuid project{};             ///< of a run that was freed now
  std::optional<uuid> job{};  ///< likewise; empty: the run of a single test
};

/// The authoritative queue, as runners use it. Each statement for a runner checks by itself that the token is good
/// and that the claim is the run's current one, so nothing that starts after a revocation or a lost lease succeeds,
/// whatever was read before. Worker-local; the pool and the master keys outlive it. Each method that takes a token's
/// digest may return invalid_token or token_revoked. Every method throws `unavailable` when the database is gone or
/// late.
class runner_store {
 public:
  /// `first_lease`: the lease until a claim's first heartbeat, if it is shorter than `lease`; 0: `lease`.
  /// `max_per_project`: how many slots of a shared runner one project may hold; 0: all.
  runner_store(postgres::pool& db, master_keys& master, std::chrono::seconds lease,
               std::chrono::seconds first_lease = {}, std::int64_t max_per_project = 0);
  ~runner_store();
  runner_store(runner_store const&) = delete;
  runner_store& operator=(runner_store const&) = delete;

  task<result<svc::runner_scope>> authenticate(sha256_digest secret, deadline until);
  /// Registers a runner and returns its id, which is always the same for the same token and name.
  task<result<uuid>> enroll(sha256_digest secret, runner_registration registration, deadline until);
  /// Claims runs that the runner may execute, as many as fit in a response (at least one), all in one transaction.
  /// Each slot goes to the oldest run of the project that holds the fewest slots of this runner; among equals, to the
  /// project that has waited longest since its last claim. A job never has more runs claimed than its
  /// `max_concurrent_runs`, and a project never holds more slots of a shared runner than `max_per_project`, even
  /// under concurrent claims. A run whose variables do not open is queued again at once, as if it had not been
  /// claimed; throws `unavailable` if there was no other. not_found: the token has no such runner.
  task<result<claim_batch>> claim(sha256_digest secret, claim_request wanted, deadline until);
  /// Undoes a claim that no runner has received: the runs are queued at their old positions, and the attempt
  /// does not count. Leaves out runs that are to be cancelled; their leases end.
  task<> unclaim(std::vector<claim_name> claims, deadline until);
  /// Returns the scripts of these tests, as many as fit in a response (at least one). Leaves out deleted
  /// tests and tests of other runs. Errors: claim_lost.
  task<result<given_scripts>> scripts(sha256_digest secret, claim_name name, std::vector<uuid> tests, deadline until);
  /// Extends the lease. claim_lost.
  task<result<held_claim>> extend(sha256_digest secret, uuid run, uuid claim, deadline until);
  /// Extends the leases of all claims that still hold. A lease that has at least `kept_lease` left is not written.
  /// Does not wait for the disk, because a crash then only shortens leases. It waits only for a claim's first
  /// heartbeat after a shorter first lease.
  task<result<held_claims>> extend_all(sha256_digest secret, std::vector<claim_name> claims, deadline until);
  /// Reads the claims and changes nothing.
  task<result<held_claims>> look_all(sha256_digest secret, std::vector<claim_name> claims, deadline until);
  /// Reads the claim and changes nothing. claim_lost.
  task<result<held_claim>> look(sha256_digest secret, uuid run, uuid claim, deadline until);
  /// Ends the run; an identical repetition is not an error. Results that arrive together share a transaction,
  /// each with its own verdict. `whole` is all of the run's output and is stored as well; without it the
  /// output is due to be moved. Errors: claim_lost; validation_failed if `whole` is of a later attempt,
  /// because an earlier attempt may have left output. Then nothing was changed.
  task<result<freed_run>> complete(sha256_digest secret, run_completion completion, deadline until,
                                   std::optional<stored_output> whole = {});
  /// Returns the run to its old position in the queue; a run whose cancellation was requested ends instead.
  /// claim_lost.
  task<result<freed_run>> release(sha256_digest secret, uuid run, uuid claim, deadline until);
  /// Returns the runs among these that are to be cancelled or are no longer running.
  task<std::vector<uuid>> changed(std::vector<uuid> runs, deadline until);

  std::chrono::seconds lease() const { return lease_; }
  std::chrono::seconds first_lease() const { return first_lease_; }
  std::chrono::seconds kept_lease() const { return lease_ - lease_ / 4; }

 private:
  postgres::pool& db_;
  master_keys& master_;
  std::chrono::seconds lease_, first_lease_;
  std::int64_t max_per_project_;
  bool to_note(uuid runner) const;
  std::map<uuid, steady::time_point> noted_{};  ///< when a runner's time was last written
  struct shared;
  std::unique_ptr<shared> shared_;  ///< transactions that combine several requests
};

/// A run that was taken from its runner.
struct reaped_run {
  uuid run;
  std::int64_t attempt = 0;  ///< the attempt that was lost
  std::string status{};      ///< `queued`: it waits for another claim; any other: it has ended
  uuid organization{};
  uuid project{};
  std::string job_type{};
  bool limited = false;       ///< another run of its job may be claimed instead
  std::optional<uuid> job{};  ///< empty: the run of a single test

  bool queued() const { return status == "queued"; }
};

/// Ends or requeues runs whose runner has disappeared. Any number of instances may do this. Each run is taken once
/// and loses its claim id, so any later report of its runner is refused. Worker-local; the pool outlives it.
class reaper_store {
 public:
  explicit reaper_store(postgres::pool& db) : db_(db) {}

  /// Takes up to `most` running runs whose lease has expired or whose timeout passed more than a minute ago. The
  /// first status that applies: `cancelled` if that was requested, `timed_out` after the timeout, `queued` if a claim
  /// of the run was lost at most `retries` - 1 times before, else `error`. Marks the output of ended runs as due to
  /// be moved. Throws `unavailable`.
  task<std::vector<reaped_run>> reap(std::int64_t most, std::int64_t retries, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
