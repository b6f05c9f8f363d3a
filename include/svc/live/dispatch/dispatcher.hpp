#pragma once

#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/runner.hpp"
#include "svc/live/dispatch/claim_hub.hpp"
#include "svc/redis/client.hpp"

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace svc::dispatch {

/// Returns the runs among `runs` that their runners must look at. Throws `unavailable`.
using changed_runs = std::function<task<std::vector<uuid>>(std::vector<uuid> runs, deadline until)>;

/// A run that a heartbeat waits for, and the claim under which its runner holds it.
struct waited_run {
  uuid run, claim;
};

/// Waiting claims and heartbeats of one worker. News goes first to the waiting requests of this worker; the
/// rest goes to the instance's other workers, and then to other instances through Redis. Nothing depends on
/// news. Of the waiting claims that could claim the same work, the dispatcher wakes one each second. It also
/// asks the database about the runs of waiting heartbeats. Worker-local; the referenced objects outlive it.
class dispatcher {
 public:
  struct impl;
  static constexpr std::chrono::seconds interval{1};  ///< between two queries
  static constexpr std::size_t most_woken = 32;    ///< claims of one scope that a poll wakes; each asks the database
  static constexpr std::size_t most_asked = 1000;  ///< runs of one query; a larger one could miss its deadline

  /// `asks` records the health of the queries, and rests while no request waits.
  dispatcher(asio::io_context& io, claim_hub& events, redis::client& redis, changed_runs changed,
             background_loop_ptr asks);
  ~dispatcher();
  dispatcher(dispatcher const&) = delete;
  dispatcher& operator=(dispatcher const&) = delete;

  /// Reports after COMMIT that these runs can be claimed. Wakes as many claims as can take them.
  void queued(queued_work work);
  /// Reports runs that a claim has left in the queue. Wakes only claims of this worker, because all workers have
  /// received this news before.
  void left(queued_work work);
  /// Reports after COMMIT that the run's runner must be notified.
  void cancel_requested(uuid run);
  /// Ends all waits, including later ones.
  void drain();
  /// Returns the number of waiting requests. They do not count towards the worker's limit of requests in
  /// flight.
  std::size_t waiting() const;

  /// A claim that waits for work. Create it before the first look at the queue, so that no news is missed in
  /// between. Lives in its request's coroutine.
  class claim_wait {
   public:
    claim_wait(dispatcher& dispatcher, runner_scope scope, std::vector<std::string> labels, std::int64_t most);
    /// If the claim was woken for work and has not looked at the queue since, passes that work to another claim.
    ~claim_wait();
    claim_wait(claim_wait const&) = delete;
    claim_wait& operator=(claim_wait const&) = delete;
    /// Returns true if the request must look at the queue (again), false at the deadline or if the instance
    /// drains.
    task<bool> until(deadline over);
    /// Call it before each look at the queue, because the look covers the work that the claim was woken for.
    void looks() {
      woken_ = false;
      claimed_.reset();
    }

   private:
    friend dispatcher;
    friend struct impl;
    std::shared_ptr<impl> impl_;
    runner_scope scope_;
    std::vector<std::string> labels_;
    std::int64_t most_;
    steady_timer timer_;
    bool woken_ = false;
    std::optional<queued_work> claimed_{};  ///< the work that it was woken for; empty: no particular work
    std::list<claim_wait*>::iterator position_;
  };

  /// A heartbeat that waits for news of any of its runs. Each claim has only its newest wait, so that a client that
  /// repeats a heartbeat causes no additional queries. A wait ends when newer waits have taken all of its claims.
  class run_wait {
   public:
    run_wait(dispatcher& dispatcher, std::vector<waited_run> runs);
    ~run_wait();
    run_wait(run_wait const&) = delete;
    run_wait& operator=(run_wait const&) = delete;
    /// Returns true if the request must look at the runs. Returns false at the deadline, if the instance
    /// drains, or if newer waits have taken all claims.
    task<bool> until(deadline over);

   private:
    friend dispatcher;
    friend struct impl;
    void lose(uuid claim);

    std::shared_ptr<impl> impl_;
    std::vector<waited_run> runs_;  ///< sorted by run
    steady_timer timer_;
    bool woken_ = false;
    bool replaced_ = false;  ///< newer waits have taken all claims
    std::list<run_wait*>::iterator position_;
  };

 private:
  std::shared_ptr<impl> impl_;
};

}  // namespace svc::dispatch
