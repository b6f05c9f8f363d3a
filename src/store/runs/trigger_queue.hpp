#pragma once

#include "svc/core/uuid.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace svc::store {

/// Decides which waiting triggers are sent together, and when. One batch at a time is in flight; triggers that arrive
/// meanwhile wait for the next one. Pure; owned by a batcher.
class trigger_queue {
 public:
  using ticket = std::uint64_t;
  struct bounds {
    std::size_t batch = 64;      ///< rows of one commit
    std::size_t waiting = 4096;  ///< more are refused
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
  bool push(ticket who, keys of);
  /// Removes a trigger whose caller has given up. False: it was already taken.
  bool drop(ticket who);
  /// Takes the next batch: the first trigger of each key, the others keep waiting. It is ordered by key, so that two
  /// instances touch rows in the same order. Empty while a batch is in flight or no trigger waits. After each batch
  /// that is not empty, `finished` must be called.
  std::vector<ticket> take();
  void finished() { on_its_way_ = false; }

 private:
  struct item {
    ticket who;
    keys of;
  };

  bounds most_{};
  std::deque<item> waiting_;
  bool on_its_way_ = false;
};

}  // namespace svc::store
