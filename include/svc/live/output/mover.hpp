#pragma once

#include "svc/core/async.hpp"
#include "svc/core/metrics.hpp"
#include "svc/live/output/output_writer.hpp"
#include "svc/redis/client.hpp"
#include "svc/store/runs/output_store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace svc::output {

/// Moves the output of ended runs from Redis to PostgreSQL. Any number of instances may run movers; each
/// output is stored once. A mover reads two runs at a time, and compresses one page in a turn of the loop. It
/// holds about one megabyte of compressed output that is ready to be stored. Output that cannot be read or
/// stored is retried later and does not hold up other runs. Worker-local; the referenced objects outlive it.
class mover {
 public:
  mover(redis::client& redis, store::output_store& outputs, output_writer& writer, output_budget& budget,
        metrics& counters);

  /// Moves the outputs that are due, for about ten seconds. Returns false if a store is unreachable; the rest
  /// stays due.
  task<bool> pass();

 private:
  struct moved;
  struct round;
  task<> work(round& round);
  task<std::optional<moved>> read(store::due_output output);
  task<bool> read_pages(store::due_output const& output, moved& into);
  task<> keep(round& round);
  task<bool> keep_together(std::vector<store::stored_output> const& all);
  task<> tidy();
  task<bool> unlink(uuid run);
  task<> expire(std::string key);
  task<> let_go(store::due_output output);

  redis::client& redis_;
  store::output_store& outputs_;
  output_writer& writer_;
  output_budget& budget_;
  counter moved_, failed_;
};

}  // namespace svc::output
