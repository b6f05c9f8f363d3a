#pragma once

#include "svc/core/deadline.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace svc {

/// Kinds of requests in the order in which the worker refuses them under overload, the first one first.
enum class work_class : std::uint8_t {
  claims,  ///< claims of runners: unclaimed runs stay queued
  lists,   ///< lists and new streams
  reads,   ///< reads of one resource
  changes  ///< triggers, tokens and everything else that writes
};
inline constexpr std::size_t work_classes = 4;

/// Refuses requests while a worker is overloaded, so that it answers the other requests in time. A queue that only
/// grows makes every client wait until it gives up, and the work for that client is lost.
///
/// The shedder measures queue time, not a number of requests: the time that ready work waits for its turn in
/// the event loop. A probe measures this time. The probe becomes ready `probe_interval` after the arrival of
/// a request, in the middle of the loop's work, and waits in the queue like other work.
///
/// If even the shortest wait of an interval exceeds `target`, the queue is a standing one (Nichols and Jacobson,
/// "Controlling Queue Delay", ACM Queue 10(5), 2012). The refused share then grows until the wait is back at `target`
/// (a proportional and integral control as in RFC 8033, 4.2). Requests that have had their turn may wait again, for a
/// resource that all of them need; the longer of both waits counts.
///
/// The object belongs to one worker; times are parameters.
class load_shedder {
 public:
  static constexpr milliseconds interval{50};  ///< between two changes of the level
  static constexpr milliseconds probe_interval{10};

  /// If `target` is 0, the shedder never refuses. `probe` creates a probe that is ready at that time; call `returned`
  /// when the probe has had its turn. `further` returns the wait of the next request in line for the common resource;
  /// it is not called before the first request.
  load_shedder(steady::duration target, std::function<void(steady::time_point ready)> probe,
               std::function<steady::duration(steady::time_point now)> further)
      : target_(target), probe_(std::move(probe)), further_(std::move(further)) {}

  /// Returns true if the worker must refuse the request. Call it for each request when its head is complete.
  bool refuses(work_class work_class, steady::time_point now);
  /// Records that the probe has had its turn, and returns the probe's wait.
  steady::duration returned(steady::time_point now);

  /// Returns the refusal level. 0: no requests are refused; 1: all lists; up to 3: all of all classes. All claims are
  /// refused from 0.5 on, so that they are refused before lists. The other classes are refused at the same levels if
  /// there are no claims.
  double level() const { return level_; }

 private:
  void send_probe(steady::time_point now);
  void adjust(steady::time_point now);
  steady::duration wait_until(steady::time_point now) const;

  steady::duration const target_;
  std::function<void(steady::time_point)> const probe_;
  std::function<steady::duration(steady::time_point)> const further_;
  std::optional<steady::time_point> ready_{};   ///< the start of the probe's wait
  std::optional<steady::duration> shortest_{};  ///< the shortest wait in this interval
  bool asked_ = false;                          ///< a request has arrived since the probe was sent
  steady::time_point adjusted_{};               ///< the time of the last adjustment
  steady::duration before_{0};                  ///< the wait of the last interval
  double level_ = 0;
  std::array<double, work_classes> owed_{};  ///< fractions of a refusal, so that the refusals of a share are even
};

}  // namespace svc
