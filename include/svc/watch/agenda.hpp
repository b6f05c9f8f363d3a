#pragma once

#include "svc/store/check_store.hpp"
#include "svc/watch/slots.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace svc::watch {

/// A check that is to begin now.
struct due_check {
  uuid monitor{};
  std::int64_t slot = 0;  ///< when it was due
};

/// Why a slot goes by without a check.
enum class missed : std::uint8_t { still_running, overloaded, nobody_watched, values_unread, target_busy };
inline constexpr std::size_t missed_count = 5;

/// The monitors of a holder, and when each is due: a heap in memory, without I/O. Nothing is written to plan a check.
/// A monitor is checked once at a time; a slot that comes meanwhile is missed. Worker-local.
class agenda {
 public:
  /// Of one project, at most `most_of_project` run at a time: one whose targets do not answer leaves places to
  /// others.
  explicit agenda(uuid location, std::size_t most_of_project = std::numeric_limits<std::size_t>::max())
      : location_(location), most_of_project_(most_of_project) {}

  /// Takes a monitor in, or what changed of it. One that nothing is known of is due at once, others by their phase: a
  /// slot that is less than an interval late within `catch_up`, older ones are missed.
  void watch(store::watched_monitor what, std::int64_t now);
  void forget(uuid const& monitor);
  /// Forgets those of this shard.
  void forget_shard(std::int64_t shard);
  /// Those that are due, at most `most`; each runs from here on, until `ends` or `forget`. What is later than half
  /// its interval when its turn comes is missed. What has no room in its project waits beside the others.
  std::vector<due_check> take_due(std::int64_t now, std::size_t most);
  /// Whether another one of this monitor's project may run.
  bool has_room(uuid const& monitor) const;
  /// One that is checked out of turn: runs from here on too.
  void begins(uuid const& monitor);
  void ends(uuid const& monitor);
  /// A slot went by that was begun.
  void note(missed why) { miss(why); }

  /// What is known of a monitor; null if it is not watched. Valid until the next change.
  store::watched_monitor* find(uuid const& monitor);
  std::size_t size() const { return all_.size(); }
  std::size_t running() const { return running_; }
  /// How long the most overdue check waits, without those that wait for room in their own project.
  milliseconds overdue(std::int64_t now) const;
  /// How many slots went by, by why.
  std::uint64_t misses(missed why) const { return misses_[static_cast<std::size_t>(why)]; }

 private:
  struct entry {
    store::watched_monitor of{};
    std::uint64_t turn : 63 = 0;  ///< of its place in the heap; others of it are void
    bool runs : 1 = false;        // beside it, because there are a hundred thousand of these
  };
  struct place {
    std::int64_t turn_at = 0;  ///< when it is looked at
    std::int64_t due = 0;
    std::int64_t slot = 0;
    std::uint64_t turn = 0;
    uuid monitor{};
    bool operator>(place const& other) const { return turn_at > other.turn_at; }
  };

  static milliseconds interval_of(entry const& e) { return e.of.interval; }
  milliseconds phase_in(entry const& e) const { return phase_of(e.of.id, location_, e.of.interval); }
  void plan(entry& e, std::int64_t slot, std::int64_t due);
  void plan_first(entry& e, std::int64_t now);
  void miss(missed why, std::uint64_t times = 1) { misses_[static_cast<std::size_t>(why)] += times; }
  /// Whether it may start; what may not is missed.
  bool may_start(entry const& e, place const& at, std::int64_t now);
  std::size_t room_of(uuid const& project) const;
  /// Until its project has room, or it is too late.
  void hold_back(entry const& e, place at);
  /// Gives those their turn for whom their projects have room now.
  void let_in(std::int64_t now);
  void starts(entry& e);
  void stops(entry& e);

  uuid location_;
  std::size_t most_of_project_;
  std::unordered_map<uuid, entry, uuid_hash> all_{};
  std::priority_queue<place, std::vector<place>, std::greater<>> heap_{};
  std::uint64_t turns_ = 0;
  std::size_t running_ = 0;
  std::unordered_map<uuid, std::size_t, uuid_hash> running_of_{};  ///< by project
  /// By project. They are in the heap too, for when they are too late.
  std::unordered_map<uuid, std::deque<place>, uuid_hash> held_back_{};
  std::uint64_t misses_[missed_count] = {};
};

}  // namespace svc::watch
