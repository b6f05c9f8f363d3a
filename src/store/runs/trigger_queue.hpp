#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace svc::store {

/// Decides which waiting triggers are sent together, and when. One batch at a time is in flight; triggers that arrive
/// meanwhile wait for the next one. Under load batches also keep a distance, and so are larger: a commit costs
/// PostgreSQL as much as eight rows of it do. Pure; owned by a batcher.
class trigger_queue {
 public:
  using ticket = std::uint64_t;
  struct bounds {
    std::size_t batch = 64;      ///< rows of one commit
    std::size_t waiting = 4096;  ///< more are refused
    milliseconds distance{3};    ///< from one batch to the next, if the first was of several rows
    std::size_t several = 4;
    std::size_t enough = 32;  ///< rows that do not wait for more
  };
  /// Keys that must not occur twice in a batch, because rows with the same key would not see each other. An empty
  /// string is no key.
  struct keys {
    uuid job;
    std::string idempotency{};
    std::string dedup{};
  };

  trigger_queue() = default;
  explicit trigger_queue(bounds most) : most_(most) {}

  /// False: the queue is full.
  bool push(ticket ticket, keys keys);
  /// Removes a trigger whose caller has given up. False: it was already taken.
  bool drop(ticket ticket);
  /// Returns the time at which the next batch leaves, if none is in flight then. The time may be in the past.
  steady::time_point leaves() const;
  /// Takes the next batch: the first trigger of each key, the others keep waiting. It is ordered by key, so that two
  /// instances touch rows in the same order. Empty while a batch is in flight, before `leaves`, or if no trigger
  /// waits. After each batch that is not empty, `finished` must be called.
  std::vector<ticket> take(steady::time_point now);
  void finished() { on_its_way_ = false; }

 private:
  struct item {
    ticket ticket;
    keys keys;
  };

  bounds most_{};
  std::deque<item> waiting_;
  bool on_its_way_ = false;
  std::size_t last_size_ = 0;          ///< of the last batch
  steady::time_point last_departure_;  ///< of the last batch
};

}  // namespace svc::store
