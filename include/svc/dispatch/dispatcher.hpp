#pragma once

#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/dispatch/claim_hub.hpp"
#include "svc/domain/runner.hpp"
#include "svc/redis/client.hpp"

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace svc::dispatch {

/// Which of these runs their runners must look at. Throws `unavailable`.
using changed_runs = std::function<task<std::vector<uuid>>(std::vector<uuid> runs, deadline until)>;

/// A run that a heartbeat waits for, and the claim under which its runner holds it.
struct waited_run {
  uuid run, claim;
};

/// Waiting claims and heartbeats of one worker. News goes first to the requests that wait here; what they cannot use
/// goes to the instance's other workers, and then to other instances through Redis. Nothing depends on news: each
/// second one of the waiting claims that would claim the same is woken, and the database is asked about the runs
/// whose heartbeats wait. Worker-local; what it uses outlives it.
class dispatcher {
 public:
  struct impl;
  static constexpr std::chrono::seconds interval{1};  ///< between two questions to the database
  static constexpr std::size_t most_woken = 32;    ///< claims of one scope that a poll wakes: each asks the database
  static constexpr std::size_t most_asked = 1000;  ///< runs of one question: a larger one could miss its deadline

  /// `asks` reports how these questions go; it rests while no request waits.
  dispatcher(asio::io_context& io, claim_hub& events, redis::client& redis, changed_runs changed,
             background_loop_ptr asks);
  ~dispatcher();
  dispatcher(dispatcher const&) = delete;
  dispatcher& operator=(dispatcher const&) = delete;

  /// After COMMIT: these runs can be claimed. Wakes as many claims as can take them.
  void queued(queued_work work);
  /// A claim has left these: wakes claims that wait here, and none elsewhere, because all have been told of them.
  void left(queued_work work);
  /// After COMMIT: the run's runner must be told.
  void cancel_requested(uuid run);
  /// Ends all waits, also those that begin later.
  void drain();
  /// Requests that wait now; they do not count against what a worker can do at a time.
  std::size_t waiting() const;

  /// A place among the claims that wait for work. Made before the first look at the queue, so that no news is missed
  /// in between. Lives in its request's coroutine.
  class claim_wait {
   public:
    claim_wait(dispatcher& dispatcher, runner_scope scope, std::vector<std::string> labels, std::int64_t most);
    /// Tells another claim of the work that it was told of and has not looked at.
    ~claim_wait();
    claim_wait(claim_wait const&) = delete;
    claim_wait& operator=(claim_wait const&) = delete;
    /// True: look at the queue (again). False: the time is over, or the instance drains.
    task<bool> until(deadline over);
    /// Call before each look at the queue: the look covers what the claim was told of.
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
    std::optional<queued_work> claimed_{};  ///< what it was woken for; nothing: to have a look
    std::list<claim_wait*>::iterator position_;
  };

  /// The same for news of any of these runs. Each claim has one wait, the newest: a client that repeats a heartbeat
  /// does not multiply what the database is asked. A wait that has lost all of its claims to newer ones ends.
  class run_wait {
   public:
    run_wait(dispatcher& dispatcher, std::vector<waited_run> runs);
    ~run_wait();
    run_wait(run_wait const&) = delete;
    run_wait& operator=(run_wait const&) = delete;
    /// True: look at the runs. False: the time is over, the instance drains, or newer waits have taken all claims.
    task<bool> until(deadline over);

   private:
    friend dispatcher;
    friend struct impl;
    void lose(uuid claim);

    std::shared_ptr<impl> impl_;
    std::vector<waited_run> runs_;  ///< in the order of runs
    steady_timer timer_;
    bool woken_ = false;
    bool replaced_ = false;  ///< newer waits have taken all claims
    std::list<run_wait*>::iterator position_;
  };

 private:
  std::shared_ptr<impl> impl_;
};

}  // namespace svc::dispatch
