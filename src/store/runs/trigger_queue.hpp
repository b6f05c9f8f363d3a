#pragma once

#include "svc/core/uuid.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace svc::store {

/// Decides which waiting triggers leave together, and when: one batch at a time is on its way, and what arrives
/// meanwhile makes the next one. Pure; owned by a batcher.
class trigger_queue {
 public:
  using ticket = std::uint64_t;
  struct bounds {
    std::size_t batch = 64;      ///< rows of one commit
    std::size_t waiting = 4096;  ///< more are refused
  };
  /// What must not stand twice in a batch: rows of one key would not see each other. Empty: none.
  struct keys {
    uuid job;
    std::string idempotency{};
    std::string dedup{};
  };

  trigger_queue() = default;
  explicit trigger_queue(bounds most) : most_(most) {}

  /// False: the queue is full.
  bool push(ticket who, keys of);
  /// Its caller has left. False: it is on its way already.
  bool drop(ticket who);
  /// The next batch, ordered by key so that two instances touch rows in the same order; the first comers of each
  /// key, the rest stays. Empty while a batch is on its way or none waits. `finished` must follow one that is not.
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
