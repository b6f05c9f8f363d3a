#pragma once

#include "svc/core/account.hpp"
#include "svc/monitoring/checks/performer.hpp"
#include "svc/monitoring/scheduler/slots.hpp"
#include "svc/store/monitors/check_store.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace svc::scheduler {

/// A check that is to begin now.
struct due_check {
  uuid monitor{};
  std::int64_t slot = 0;  ///< when it was due
};

/// The largest numbers of checks that run at the same time.
struct check_places {
  std::size_t most = std::numeric_limits<std::size_t>::max();             ///< of all owners together
  std::size_t most_of_project = std::numeric_limits<std::size_t>::max();  ///< of one project
  /// An organization holds at most this many places or as many as are free, whichever is more. So many organizations
  /// can be busy at the same time, and the next one still finds a place.
  std::size_t least_of_organization = std::numeric_limits<std::size_t>::max();
  /// False while a project starts no further checks, because it has spent its share of the thread. Null: never.
  std::function<bool(uuid const& project)> may_start{};
  account* book = nullptr;  ///< what is in progress is booked there; null for none
};

/// The monitors of a holder, and when each is due: a heap in memory, without I/O. Nothing is written to plan a check.
/// A monitor is checked once at a time; a slot that comes meanwhile is missed. Worker-local.
class agenda {
 public:
  /// A project or an organization whose targets do not answer leaves places to others (`places`).
  explicit agenda(uuid location, check_places places = {}) : location_(location), places_(std::move(places)) {}
  agenda(agenda const&) = delete;
  agenda& operator=(agenda const&) = delete;
  ~agenda();

  /// Takes a monitor in, or what changed of it. One that nothing is known of is due at once, others by their phase: a
  /// slot that is less than an interval late within `catch_up`, older ones are missed.
  void watch(store::watched_monitor monitor, std::int64_t now);
  void forget(uuid const& monitor);
  /// Forgets all monitors of this shard and returns their ids.
  std::vector<uuid> forget_shard(std::int64_t shard);
  /// Those that are due, at most `most`; each runs from here on, until `ends` or `forget`. What is later than half
  /// its interval when its turn comes is missed. A check without room in its project or organization waits beside the
  /// others.
  std::vector<due_check> take_due(std::int64_t now, std::size_t most);
  /// True if another check of this monitor's project and organization may run.
  bool has_room(uuid const& monitor) const;
  /// One that is checked out of turn: runs from here on too.
  void begins(uuid const& monitor);
  void ends(uuid const& monitor);
  /// A slot went by that was begun.
  void note(missed reason) { miss(reason); }

  /// What is known of a monitor; null if it is not watched. Valid until the next change.
  store::watched_monitor* find(uuid const& monitor);
  std::size_t size() const { return all_.size(); }
  std::size_t running() const { return running_; }
  /// How long the most overdue check waits, without checks that wait for room of their own project or organization.
  milliseconds overdue(std::int64_t now) const;
  /// How many slots went by, by why.
  std::uint64_t misses(missed reason) const { return misses_[static_cast<std::size_t>(reason)]; }

 private:
  struct entry {
    store::watched_monitor monitor{};
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

  static account_owner owner_of(entry const& e) {
    return {.project = e.monitor.project, .organisation = e.monitor.organization};
  }
  static milliseconds interval_of(entry const& e) { return e.monitor.interval; }
  milliseconds phase_in(entry const& e) const { return phase_of(e.monitor.id, location_, e.monitor.interval); }
  void plan(entry& e, std::int64_t slot, std::int64_t due);
  void plan_first(entry& e, std::int64_t now);
  void miss(missed reason, std::uint64_t times = 1) { misses_[static_cast<std::size_t>(reason)] += times; }
  /// Whether it may start; what may not is missed.
  bool may_start(entry const& e, place const& place, std::int64_t now);
  using running_counts = std::unordered_map<uuid, std::size_t, uuid_hash>;

  static std::size_t count_of(running_counts const& counts, uuid const& owner);
  static void drop_one(running_counts& counts, uuid const& owner);
  std::size_t room_of_project(uuid const& project) const;
  std::size_t room_of_organization(uuid const& organization) const;
  bool has_room(entry const& e) const;
  /// Until its project and its organization have room, or it is too late.
  void hold_back(entry const& e, place place);
  /// Gives those their turn for whom their projects and organizations have room now.
  void let_in(std::int64_t now);
  void starts(entry& e);
  void stops(entry& e);

  uuid location_;
  check_places places_;
  std::unordered_map<uuid, entry, uuid_hash> all_{};
  std::priority_queue<place, std::vector<place>, std::greater<>> heap_{};
  std::uint64_t turns_ = 0;
  std::size_t running_ = 0;
  running_counts running_by_project_{}, running_by_organization_{};
  /// By project. They are in the heap too, for when they are too late.
  std::unordered_map<uuid, std::deque<place>, uuid_hash> held_back_{};
  std::uint64_t misses_[missed_count] = {};
};

}  // namespace svc::scheduler
