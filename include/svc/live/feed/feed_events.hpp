#pragma once

#include "svc/core/deadline.hpp"
#include "svc/live/feed/changes.hpp"

#include <array>
#include <bitset>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace svc::feed {

/// One event as text for viewers. Made once and shared by all viewers of the project on the worker. Immutable.
struct feed_event {
  std::optional<resource> kind{};  ///< empty: states of runs
  std::string text{};              ///< a server-sent event (WHATWG HTML 9.2), whose data is one line of JSON
};
using event_ptr = std::shared_ptr<feed_event const>;

/// Returns the event that says from when on no change is missed. `bundle` is empty if no pages are served.
std::string ready_event(std::string_view bundle, std::string_view as_of);
inline constexpr std::string_view degraded_event = "event: degraded\ndata: {}\n\n";

/// The changes of a project on their way to its viewers on one worker: merged, so that a viewer gets at most four
/// events in any second. Decides and does no I/O. Worker-local.
class event_pace {
 public:
  static constexpr std::size_t most_in_period = 4;
  static constexpr milliseconds period{1000};
  /// The shortest pause between two events of one kind, during which its changes are merged.
  static constexpr milliseconds pause{250};

  void hear(change_set const& changes);
  /// Drops what waits, because viewers will read everything again.
  void clear();
  /// Returns the next event; null if nothing waits or it is not due yet.
  event_ptr take(steady::time_point now);
  /// Returns the time of the next event; never if nothing waits.
  steady::time_point due() const;

 private:
  static constexpr std::size_t kinds = resources + 1;  ///< the states of runs are the last kind
  /// Number of runs whose outdated states are recognized.
  static constexpr std::size_t most_remembered = 2 * most_collected;

  bool waits(std::size_t kind) const;
  steady::time_point due(std::size_t kind) const;
  bool stale(run_state const& state);

  change_set waiting_{{.all = kinds * most_named, .kind = most_named}};
  std::array<steady::time_point, kinds> free_{};  ///< when the next event of the kind may be sent
  std::deque<steady::time_point> sent_{};         ///< the last events, at most four
  std::map<uuid, std::int64_t> newest_{};         ///< `run_state::order` of the youngest runs
};

/// The events that one viewer has not received yet. A viewer that reads too slowly loses their ids, but learns which
/// kinds have changed. Decides and does no I/O. Worker-local.
class viewer_queue {
 public:
  /// The most events that wait; they are shared with other viewers.
  static constexpr std::size_t most_waiting = 8;

  explicit viewer_queue(role viewer) : role_(viewer) {}

  /// Later events are those that this role may see.
  void set_role(role viewer) { role_ = viewer; }
  /// Adds an event, unless the role may not see it. Returns true if it was added.
  bool add(event_ptr const& event);
  /// Drops what waits: the viewer reads everything again.
  void clear();
  /// Returns the text of the next event and its owner; null if nothing waits.
  std::shared_ptr<std::string const> take();
  bool empty() const { return waiting_.empty() && lost_.none(); }

 private:
  role role_;
  std::deque<event_ptr> waiting_{};
  std::bitset<resources + 1> lost_{};  ///< kinds whose events were dropped; the last one: states of runs
};

}  // namespace svc::feed
