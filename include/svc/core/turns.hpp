// These classes measure how long the turns of an event loop take. A turn is the work between two moments at which the
// loop could have served another request. The meter and the watch are pure: times are parameters.
#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/loop_activity.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc {

/// The cost of one thread's turns, as plain counts. A turn includes neither the wait for events nor preemption: if
/// the turn was long by the wall clock, the thread's own processor time decides. Only the loop's thread uses the
/// object.
class turn_meter {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  /// Upper bounds in seconds. Below the first bound the meter does not distinguish a turn from the wait before it.
  static constexpr std::array<double, 8> bounds{0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1};

  struct counts {
    std::array<std::uint64_t, bounds.size() + 1> turns{};  ///< the last: above all bounds
    nanoseconds busy{0};                                   ///< processor time, all of it
  };

  turn_meter(steady::time_point now, nanoseconds cpu) : last_(now), marked_(now), cpu_(cpu) {}

  /// Records the end of a turn, or of a wait and the turn after it. `cpu` reads the thread's clock, which costs a
  /// system call. The meter calls it at most once per millisecond, and after each turn that takes longer. Returns the
  /// turn's cost: its processor time, or its wall-clock time if that is less than a millisecond.
  template <class Cpu>
  nanoseconds ended(steady::time_point now, Cpu const& cpu) {
    auto took = now - std::exchange(last_, now);
    if (now - marked_ >= mark_interval) {
      nanoseconds const used = mark(now, cpu());
      if (used < took) took = used;
    }
    count(took);
    return took;
  }

  /// Returns the counts since the last call.
  counts take() { return std::exchange(counted_, {}); }
  nanoseconds longest() const { return longest_; }

 private:
  static constexpr milliseconds mark_interval{1};
  static constexpr nanoseconds first_bound = std::chrono::milliseconds(5);

  /// Returns the processor time since the last mark.
  nanoseconds mark(steady::time_point now, nanoseconds cpu) {
    marked_ = now;
    auto const used = cpu - std::exchange(cpu_, cpu);
    counted_.busy += used;
    return used;
  }
  void count(nanoseconds took) {
    if (took > longest_) longest_ = took;
    std::size_t position = 0;
    if (took > first_bound) {
      double const seconds = std::chrono::duration<double>(took).count();
      while (position < bounds.size() && seconds > bounds[position]) ++position;
    }
    ++counted_.turns[position];
  }

  steady::time_point last_, marked_;
  nanoseconds cpu_;  ///< processor time at `marked_`
  nanoseconds longest_{0};
  counts counted_;
};

/// Notices from outside that one turn of a loop does not end. The watch asks for an empty turn whenever another turn
/// has ended, so a loop that ends no turn meanwhile cannot be just idle.
class turn_watch {
 public:
  static constexpr milliseconds interval{250};  ///< between two looks
  static constexpr milliseconds patience{1000};

  enum class news : std::uint8_t { none, stuck, over };
  struct look {
    bool ask = false;  ///< give the loop an empty turn
    news content = news::none;
    milliseconds lasted{0};  ///< so far
  };

  /// `ended` is the number of turns that have ended since the start.
  look at(steady::time_point now, std::uint64_t ended);

 private:
  std::uint64_t ended_ = 0;
  bool began_ = false;  ///< the watch has looked at the loop before
  bool stuck_ = false;
  steady::time_point since_, looked_;
};

/// The size in bytes of the pieces of large texts. Filling new memory costs a page fault for each page, which can
/// take 15 µs, so a megabyte takes milliseconds.
inline constexpr std::size_t piece_of_turn = 512UL * 1024;

/// Lets the worker's other work run; the following code is a turn of its own.
task<> others_turn();

/// Returns a copy of a text that `owner` keeps alive; copies a large text in several turns.
task<std::string> copy_in_turns(std::shared_ptr<void const> owner, std::string_view text);

/// Returns the processor time of the calling thread. Costs a system call.
std::chrono::nanoseconds thread_time();

/// Runs `io.run()` on this thread turn by turn, until the loop is stopped. Passes each turn to `meter`, and to
/// `activity` for other threads. Entering and leaving the loop for each turn costs about 0.15 us.
///
/// An exception that leaves a handler is logged and counted, and the loop continues. An error that breaks an
/// invariant of the program still ends the process:
/// - an exception that leaves a destructor or a function that is `noexcept` (callbacks of libcurl, c-ares and OpenSSL
///   among them);
/// - a failed assertion of a library;
/// - a failed allocation while another exception is being logged.
void run_turns(asio::io_context& io, turn_meter& meter, loop_activity& activity);

}  // namespace svc
