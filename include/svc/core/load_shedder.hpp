#pragma once

#include "svc/core/deadline.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace svc {

/// Kinds of requests in the order in which they are refused under overload, the first one first.
enum class work_class : std::uint8_t {
  claims,  ///< of runners: what they leave stays queued
  lists,   ///< lists and new streams
  reads,   ///< of one resource
  changes  ///< triggers, tokens and everything else that writes
};
inline constexpr std::size_t work_classes = 4;

/// Refuses requests while a worker has more to do than it can, so that those it serves are served in time: a queue
/// that only grows makes every client wait until it gives up, and the work done for it is lost.
///
/// What counts is queue time, not a number of requests: how long something that is ready waits for its turn in the
/// event loop. A probe measures it: it becomes ready `probe_interval` after a request has arrived, in the middle of
/// what the loop does then, and takes its place in the queue. If even the shortest wait of an interval exceeds
/// `target`, the queue is a standing one (Nichols and Jacobson, "Controlling Queue Delay", ACM Queue 10(5), 2012),
/// and the share that is refused grows until the wait is back at `target` (a proportional and integral control as in
/// RFC 8033, 4.2). Requests that have had their turn may wait again, for something that all of them need; the longer
/// of both waits counts.
///
/// Worker-local; clocks are passed in.
class load_shedder {
 public:
  static constexpr milliseconds interval{50};  ///< between two changes of the level
  static constexpr milliseconds probe_interval{10};

  /// `target` 0: never refuses. `probe` makes a probe that is ready at that time; `returned` is called when it has
  /// had its turn. `further`: how long what is next in line there has waited; not called before the first request.
  load_shedder(steady::duration target, std::function<void(steady::time_point ready)> probe,
               std::function<steady::duration(steady::time_point now)> further)
      : target_(target), probe_(std::move(probe)), further_(std::move(further)) {}

  /// For each request when its head is complete: whether it is to be refused.
  bool refuses(work_class work_class, steady::time_point now);
  /// The probe has had its turn. Returns how long it waited.
  steady::duration returned(steady::time_point now);

  /// 0: nothing is refused; 1: all lists; up to 3: all of all classes. All claims are refused from 0.5 on, so that
  /// they are refused before lists and their absence changes nothing for the others.
  double level() const { return level_; }

 private:
  void send_probe(steady::time_point now);
  void adjust(steady::time_point now);
  steady::duration wait_until(steady::time_point now) const;

  steady::duration const target_;
  std::function<void(steady::time_point)> const probe_;
  std::function<steady::duration(steady::time_point)> const further_;
  std::optional<steady::time_point> ready_{};   ///< since when the probe waits
  std::optional<steady::duration> shortest_{};  ///< wait of this interval
  bool asked_ = false;                          ///< a request has come since it was sent
  steady::time_point adjusted_{};               ///< when last
  steady::duration before_{0};                  ///< wait of the last interval
  double level_ = 0;
  std::array<double, work_classes> owed_{};  ///< parts of a refusal, so that a share is refused evenly
};

}  // namespace svc
