#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace svc::store {

/// Whether another run of a project may be queued, as far as a worker knows without asking.
enum class queue_state : std::uint8_t { room, full, uncounted };

/// Keeps the number of a project's queued runs near its quota without a row that all its triggers would wait for: the
/// queue is counted now and then, and after one count a worker lets in no more than its share of a batch (with ample
/// room: all that wait). So workers whose counts did not see each other's runs let in at most one batch for each
/// instance. Pure; a handle to one worker's state, which copies and places share.
class queue_gate {
 public:
  struct bounds {
    std::int64_t limit = 0;  ///< queued runs of a project; 0: any number
    std::int64_t share = 1;  ///< runs let in after one count
    std::int64_t ample = 0;  ///< with so much room a count lets in all that wait
  };
  /// For `limit` runs and this many workers in each of this many instances.
  static bounds make_bounds(std::int64_t limit, int workers, int instances);

  /// One run that was let in, until it is known whether it was queued.
  class place;
  /// The project to count, and how many runs wait for the count.
  struct counting {
    uuid project;
    std::int64_t wanted = 0;
    std::int64_t over = 0;  ///< places that ended before the count
  };

  /// Lets everything in.
  queue_gate();
  explicit queue_gate(bounds by);

  std::int64_t limit() const;
  queue_state state(uuid project, steady::time_point now) const;
  /// Those of these projects, each with its number of runs, that must be counted first.
  std::vector<counting> uncounted(std::map<uuid, std::int64_t> const& wanted, steady::time_point now) const;
  /// `queued` was counted by a statement that began after `uncounted`.
  void counted(counting const& of, std::int64_t queued, steady::time_point now);
  /// Only where `state` says that there is room.
  place take(uuid project);

 private:
  struct shared;
  std::shared_ptr<shared> shared_;
};

/// Counts as a queued run once it ends, unless it is given back. Move-only; may outlive the gate.
class queue_gate::place {
 public:
  place() = default;
  place(place&&) noexcept = default;
  place& operator=(place&& other) noexcept;
  ~place() { leave(); }

  /// It made no run: another one may have the place.
  void give_back() { used_ = false; }

 private:
  friend class queue_gate;
  place(std::shared_ptr<shared> of, uuid project) : of_(std::move(of)), project_(project) {}
  void leave();

  std::shared_ptr<shared> of_{};
  uuid project_{};
  bool used_ = true;
};

}  // namespace svc::store
