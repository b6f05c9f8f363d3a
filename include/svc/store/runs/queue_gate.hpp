#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace svc::store {

/// The state of a project's queue as far as a worker knows without asking the database.
enum class queue_state : std::uint8_t { room, full, uncounted };

/// Keeps the number of a project's queued runs near its quota without a counter row that all its triggers would wait
/// for. Instead, the queue is counted when needed, and after each count a worker lets in no more than its share of a
/// batch (with ample room: all that wait). So workers whose counts miss each other's runs let in at most one batch
/// per instance. Pure; a handle to one worker's state, which copies and reservations share.
class queue_gate {
 public:
  struct bounds {
    std::int64_t limit = 0;  ///< queued runs of a project; 0: any number
    std::int64_t share = 1;  ///< runs that a worker lets in after one count
    std::int64_t ample = 0;  ///< if a count finds this much room, all that wait are let in
  };
  /// `limit`: queued runs of a project; `workers`: of each instance.
  static bounds make_bounds(std::int64_t limit, int workers, int instances);

  /// Represents one run that was let in until it is known whether it was queued.
  class reservation;
  /// A project whose queue must be counted, and how many runs wait for the count.
  struct counting {
    uuid project;
    std::int64_t wanted = 0;
    std::int64_t over = 0;  ///< reservations that ended before the count
  };

  /// Lets everything in.
  queue_gate();
  explicit queue_gate(bounds bounds);

  /// Sets the bounds of all copies from the next count on.
  void change(bounds bounds);
  std::int64_t limit() const;
  queue_state state(uuid project, steady::time_point now) const;
  /// The projects among `wanted` (project: number of runs) whose queues must be counted before runs are let in.
  std::vector<counting> uncounted(std::map<uuid, std::int64_t> const& wanted, steady::time_point now) const;
  /// Records a count. The statement that counted `queued` must have started after `uncounted` returned.
  void counted(counting const& count, std::int64_t queued, steady::time_point now);
  /// Lets one run in. Requires that `state` is `room`.
  reservation take(uuid project);

 private:
  struct shared;
  std::shared_ptr<shared> shared_;
};

/// A reservation for one run. Its destructor counts the run as queued, unless `give_back` was called. Move-only; may
/// outlive the gate.
class queue_gate::reservation {
 public:
  reservation() = default;
  reservation(reservation&&) noexcept = default;
  reservation& operator=(reservation&& other) noexcept;
  ~reservation() { leave(); }

  /// No run was queued, so another run may use the reservation.
  void give_back() { used_ = false; }

 private:
  friend class queue_gate;
  reservation(std::shared_ptr<shared> state, uuid project) : state_(std::move(state)), project_(project) {}
  void leave();

  std::shared_ptr<shared> state_{};
  uuid project_{};
  bool used_ = true;
};

}  // namespace svc::store
