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

// The work that a process repeats without a request, and its health. Nobody waits for it, so nobody would notice its
// end: a loop that an unexpected error has ended looks like one that has nothing to do.

namespace svc {

enum class loop_health : std::uint8_t {
  good,
  failing,  ///< its last step failed
  still     ///< no step has succeeded for longer than its patience
};
std::string_view name_of(loop_health health);

/// The health of one loop. One thread runs and records its steps; any thread may call `at`. Outlives both.
class background_loop {
 public:
  /// What is worth a line in the log: each change once.
  enum class news : std::uint8_t { none, failed, stands_still, goes_on };
  struct status {
    loop_health health = loop_health::good;
    steady::duration since_success{0};
  };

  /// `owner`: whose loop it is, a worker's number or `control`.
  background_loop(std::string name, std::string owner, steady::duration interval);

  std::string const& name() const { return name_; }
  std::string const& owner() const { return owner_; }

  /// A step begins, maybe the first one after a rest.
  void begins(steady::time_point now);
  /// A long step has done a part.
  void progresses(steady::time_point now);
  news succeeded(steady::time_point now);
  /// `expected`: a store is unreachable, which is logged elsewhere; it is worth a line here only when it lasts.
  news failed(steady::time_point now, bool expected);
  /// There is nothing to do until something asks for it: neither failing nor standing still.
  void rests();

  /// The pause until the next step: the interval, longer after each unexpected failure in a row. Expected failures do
  /// not count: once a store is back, its loops must not be late as well.
  steady::duration pause() const;
  status at(steady::time_point now) const;

 private:
  std::string name_, owner_;
  steady::duration interval_, patience_;
  int failures_ = 0;  ///< unexpected ones in a row
  loop_health told_ = loop_health::good;
  std::atomic<steady::rep> succeeded_at_;
  std::atomic<bool> failing_{false}, resting_{false};
};

using background_loop_ptr = std::shared_ptr<background_loop>;

/// Takes one step and records how it went. No exception of the step leaves it.
task<> attempt(background_loop_ptr loop, task<> step);

/// Takes a step after each pause for as long as its `io_context` runs; while `goes_on` says no, it rests.
task<> repeat(background_loop_ptr loop, std::function<bool()> goes_on, std::function<task<>()> step);

/// For use between two batches of a long step: records progress, and pauses, so that the step is never the database's
/// main load.
task<> between_batches(background_loop& loop);

/// All loops of the process. `add` and `start` before any other thread calls `look` or `show`, which one thread does.
class background_loops {
 public:
  explicit background_loops(metrics& counters) : counters_(counters) {}

  background_loop_ptr add(std::string name, std::string owner, steady::duration interval);
  /// Adds a loop and repeats its step on `io`.
  background_loop_ptr start(asio::io_context& io, std::string name, std::string owner, steady::duration interval,
                            std::function<bool()> goes_on, std::function<task<>()> step);

  /// Lets all loops that were added so far rest until their first step, because the process waits for what they need.
  /// On the thread that calls `look`.
  void rest();

  struct ailing {
    background_loop const* loop;
    background_loop::status status;
  };
  /// Those that fail or stand still.
  std::vector<ailing> look(steady::time_point now) const;
  /// Brings the metrics up to date. Called for each scrape: a loop that hangs could not do it for itself.
  void show(steady::time_point now) const;

 private:
  struct shown {
    background_loop_ptr loop;
    gauge last_success, still;
  };
  metrics& counters_;
  std::vector<shown> all_{};
};

/// Starts loops of one owner on its `io_context`. A value; what it refers to outlives the loops.
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
