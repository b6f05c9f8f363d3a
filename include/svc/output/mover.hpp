#pragma once

#include "svc/core/async.hpp"
#include "svc/core/metrics.hpp"
#include "svc/output/output_writer.hpp"
#include "svc/redis/client.hpp"
#include "svc/store/output_store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace svc::output {

/// Moves the output of ended runs from Redis to PostgreSQL. Any number of instances do it; each run is kept once. It
/// holds two runs at a time, compressed, and a megabyte of what is read; a turn of the loop compresses one page. A
/// run that cannot be read or kept is left for later and stops no other. Worker-local; what it uses outlives it.
class mover {
 public:
  mover(redis::client& redis, store::output_store& outputs, output_writer& writer, output_budget& budget,
        metrics& counters);

  /// Moves what is due, for ten seconds or so. False when a store is away: the rest stays due.
  task<bool> pass();

 private:
  struct moved;
  struct round;
  task<> work(round& of);
  task<std::optional<moved>> read(store::due_output of);
  task<bool> read_pages(store::due_output const& of, moved& into);
  task<> keep(round& of);
  task<bool> keep_together(std::vector<store::stored_output> const& all);
  task<> tidy();
  task<bool> unlink(uuid run);
  task<> expire(std::string key);
  task<> let_go(store::due_output of);

  redis::client& redis_;
  store::output_store& outputs_;
  output_writer& writer_;
  output_budget& budget_;
  counter moved_, failed_;
};

}  // namespace svc::output
