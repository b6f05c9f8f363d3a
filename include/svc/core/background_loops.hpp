#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/metrics.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The work that a process repeats without a request, and its health. No request waits for this work, so its end would
// stay unnoticed: a loop that an unexpected error has ended looks like an idle loop.

namespace svc {

enum class loop_health : std::uint8_t {
  good,
  failing,  ///< its last step failed
  still     ///< no step has succeeded for longer than the loop's patience
};
std::string_view name_of(loop_health health);

/// The health of one loop. One thread runs the loop and records its steps; any thread may call `at`. The object
/// outlives all these threads.
class background_loop {
 public:
  /// The changes that deserve a line in the log, each once.
  enum class news : std::uint8_t { none, failed, stalled, goes_on };
  struct status {
    loop_health health = loop_health::good;
    steady::duration since_success{0};
  };

  /// `owner` is the owner of the loop: a worker's number or `control`.
  background_loop(std::string name, std::string owner, steady::duration interval);

  std::string const& name() const { return name_; }
  std::string const& owner() const { return owner_; }

  /// Records the start of a step, possibly the first one after a rest.
  void begins(steady::time_point now);
  /// Records that a long step has done a part.
  void progresses(steady::time_point now);
  news succeeded(steady::time_point now);
  /// `expected` is true if a store is unreachable. Other code logs that failure; this class logs it only when it
  /// lasts.
  news failed(steady::time_point now, bool expected);
  /// Records that the loop has no work until somebody requests some. A resting loop is neither failing nor still.
  void rests();

  /// Returns the pause until the next step: the interval, longer after each consecutive unexpected failure. Expected
  /// failures do not count, because the loops must continue soon after a store is back.
  steady::duration pause() const;
  status at(steady::time_point now) const;

 private:
  std::string name_, owner_;
  steady::duration interval_, patience_;
  int failures_ = 0;  ///< consecutive unexpected ones
  loop_health reported_ = loop_health::good;
  std::atomic<steady::rep> succeeded_at_;
  std::atomic<bool> failing_{false}, resting_{false};
};

using background_loop_ptr = std::shared_ptr<background_loop>;

/// Takes one step and records its result. No exception of the step leaves it.
task<> attempt(background_loop_ptr loop, task<> step);

/// Takes a step after each pause for as long as its `io_context` runs. The loop rests while `goes_on` returns false.
task<> repeat(background_loop_ptr loop, std::function<bool()> goes_on, std::function<task<>()> step);

/// Records progress and pauses between two batches of a long step, so that the step is never the database's main
/// load.
task<> between_batches(background_loop& loop);

/// All loops of the process. Call `add` and `start` before any other thread calls `look` or `show`. Only one thread
/// calls `look` and `show`.
class background_loops {
 public:
  explicit background_loops(metrics& counters) : counters_(counters) {}

  background_loop_ptr add(std::string name, std::string owner, steady::duration interval);
  /// Adds a loop and repeats its step on `io`.
  background_loop_ptr start(asio::io_context& io, std::string name, std::string owner, steady::duration interval,
                            std::function<bool()> goes_on, std::function<task<>()> step);

  /// Lets all loops added so far rest until their first step, because the process waits for their dependencies. Call
  /// it on the thread that calls `look`.
  void rest();

  struct ailing {
    background_loop const* loop;
    background_loop::status status;
  };
  /// Returns the loops that fail or are still.
  std::vector<ailing> look(steady::time_point now) const;
  /// Updates the metrics. The scrape calls it, because a hanging loop could not update its own metrics.
  void show(steady::time_point now) const;

 private:
  struct shown_loops {
    background_loop_ptr loop;
    gauge last_success, still;
  };
  metrics& counters_;
  std::vector<shown_loops> all_{};
};

/// Starts loops of one owner on its `io_context`. A value; its references outlive the loops.
struct loop_starter {
  background_loops& all;
  asio::io_context& io;
  std::string owner;
  std::function<bool()> goes_on;

  template <class Object>
  background_loop_ptr start(std::string name, steady::duration interval, Object* worker,
                            task<> (Object::*step)()) const {
    return all.start(io, std::move(name), owner, interval, goes_on, [worker, step] { return (worker->*step)(); });
  }
};

}  // namespace svc
