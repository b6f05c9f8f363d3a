#pragma once

#include "svc/core/async.hpp"
#include "svc/live/output_writer.hpp"
#include "svc/redis/client.hpp"
#include "svc/store/output_store.hpp"

#include <optional>

namespace svc::live {

/// Moves the output of ended runs from Redis to PostgreSQL. Any number of instances do it; each run is kept once.
/// Worker-local; what it uses outlives it.
class mover {
 public:
  mover(redis::client& redis, store::output_store& outputs, output_writer& writer)
      : redis_(redis), outputs_(outputs), writer_(writer) {}

  /// Moves all that is due. False when a store is away: the rest stays due.
  task<bool> pass();

 private:
  struct moved;
  task<> read(store::due_output of, std::optional<moved>& into);
  task<> let_expire(std::vector<store::stored_output> const& kept);

  redis::client& redis_;
  store::output_store& outputs_;
  output_writer& writer_;
};

}  // namespace svc::live
