#pragma once

#include "svc/core/account.hpp"
#include "svc/monitoring/checks/check_function.hpp"
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

/// A check that starts now.
struct due_check {
  uuid monitor{};
  std::int64_t slot = 0;  ///< the time when it was due
  std::int64_t next = 0;  ///< the next slot
};

/// The largest numbers of checks that run at the same time.
struct check_limits {
  std::size_t most = std::numeric_limits<std::size_t>::max();             ///< of all owners together
  std::size_t most_of_project = std::numeric_limits<std::size_t>::max();  ///< of one project
  /// An organization runs at most this many checks, or as many as may still start, whichever is more. Therefore many
  /// organizations can be busy at the same time, and the next one can still start a check.
  std::size_t least_of_organization = std::numeric_limits<std::size_t>::max();
  /// Returns false while a project must start no further checks, because it has spent its share of the thread. Null:
  /// every project may start.
  std::function<bool(uuid const& project)> may_start{};
  account* book = nullptr;  ///< books the checks in progress; null: none
};

/// The monitors of a scheduler, and their due times: a heap in memory, without I/O. Planning a check writes nothing.
/// Only one check of a monitor runs at a time; a slot during a check is skipped. Worker-local.
class check_schedule {
 public:
  /// `limits` bounds a project or an organization whose targets do not answer, so that other owners can run checks.
  explicit check_schedule(uuid location, check_limits limits = {})
      : location_(location), limits_(std::move(limits)) {}
  check_schedule(check_schedule const&) = delete;
  check_schedule& operator=(check_schedule const&) = delete;
  ~check_schedule();

  /// Adds or updates a monitor. A monitor that has never been checked is due immediately; others keep their phase. A
  /// slot that is less than an interval late is due within `catch_up`; older slots are skipped.
  void watch(store::watched_monitor monitor, std::int64_t now);
  void remove(uuid const& monitor);
  /// Forgets all monitors of this shard and returns their ids.
  std::vector<uuid> remove_shard(std::int64_t shard);
  /// Returns the due monitors, at most `most`. Each counts as running until `ends` or `forget`. A check that is later
  /// than half its interval when its turn comes is skipped. A check without room in its project or organization waits
  /// in a separate line.
  std::vector<due_check> take_due(std::int64_t now, std::size_t most);
  /// True if another check of this monitor's project and organization may run.
  bool has_room(uuid const& monitor) const;
  /// Marks a requested check as running, until `ends` or `forget`.
  void begins(uuid const& monitor);
  void ends(uuid const& monitor);
  /// Counts a slot that was started and then skipped.
  void note(skip_reason reason) { miss(reason); }

  /// Returns the state of a monitor; null if it is not watched. Valid until the next change.
  store::watched_monitor* find(uuid const& monitor);
  std::size_t size() const { return all_.size(); }
  std::size_t running() const { return running_; }
  /// Returns how long the most overdue check waits. Checks that wait for room of their own project or organization do
  /// not count.
  milliseconds overdue(std::int64_t now) const;
  /// Number of skipped slots, by reason.
  std::uint64_t missed_slots(skip_reason reason) const { return misses_[static_cast<std::size_t>(reason)]; }

 private:
  struct entry {
    store::watched_monitor monitor{};
    std::uint64_t turn : 63 = 0;  ///< the valid turn of its entries in the heap; its other entries are void
    bool runs : 1 = false;        // shares a word with `turn`, because there are a hundred thousand entries
  };
  struct scheduled_turn {
    std::int64_t turn_at = 0;  ///< time of the next look at it
    std::int64_t due = 0;
    std::int64_t slot = 0;
    std::uint64_t turn = 0;
    uuid monitor{};
    bool operator>(scheduled_turn const& other) const { return turn_at > other.turn_at; }
  };

  static account_owner owner_of(entry const& e) {
    return {.project = e.monitor.project, .organisation = e.monitor.organization};
  }
  static milliseconds interval_of(entry const& e) { return e.monitor.interval; }
  milliseconds phase_in(entry const& e) const { return phase_of(e.monitor.id, location_, e.monitor.interval); }
  void plan(entry& e, std::int64_t slot, std::int64_t due);
  void plan_first(entry& e, std::int64_t now);
  void miss(skip_reason reason, std::uint64_t times = 1) { misses_[static_cast<std::size_t>(reason)] += times; }
  /// Returns true if the check may start; otherwise counts it as skipped.
  bool may_start(entry const& e, scheduled_turn const& turn, std::int64_t now);
  using running_counts = std::unordered_map<uuid, std::size_t, uuid_hash>;

  static std::size_t count_of(running_counts const& counts, uuid const& owner);
  static void drop_one(running_counts& counts, uuid const& owner);
  std::size_t room_of_project(uuid const& project) const;
  std::size_t room_of_organization(uuid const& organization) const;
  bool has_room(entry const& e) const;
  /// Keeps a turn until its project and its organization have room, or until it is too late.
  void hold_back(entry const& e, scheduled_turn turn);
  /// Lets held-back checks in whose projects and organizations have room now.
  void let_in(std::int64_t now);
  void starts(entry& e);
  void stops(entry& e);

  uuid location_;
  check_limits limits_;
  std::unordered_map<uuid, entry, uuid_hash> all_{};
  std::priority_queue<scheduled_turn, std::vector<scheduled_turn>, std::greater<>> heap_{};
  std::uint64_t turns_ = 0;
  std::size_t running_ = 0;
  running_counts running_by_project_{}, running_by_organization_{};
  /// Held-back turns by project. They are in the heap too, which finds them when they are too late.
  std::unordered_map<uuid, std::deque<scheduled_turn>, uuid_hash> held_back_{};
  std::uint64_t misses_[missed_count] = {};
};

}  // namespace svc::scheduler
