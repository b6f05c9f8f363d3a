#pragma once

#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/uuid.hpp"
#include "svc/live/feed/publisher.hpp"
#include "svc/store/windows/occurrence_store.hpp"

#include <set>
#include <utility>
#include <vector>

namespace svc::app {

/// Writes the next occurrences of recurring maintenance windows, and frees the slots of finished windows. One worker
/// of each instance does this; the database prevents doing it twice. Worker-local; its dependencies must outlive it.
class window_maintenance {
 public:
  struct parts {
    store::occurrence_store& occurrences;
    feed::publisher& feed;  ///< announces finished windows
    loop_starter loops;     ///< asked between two projects whether to go on
  };
  explicit window_maintenance(parts parts) : parts_(std::move(parts)) {}
  window_maintenance(window_maintenance const&) = delete;
  window_maintenance& operator=(window_maintenance const&) = delete;

  /// On that worker, before its thread runs. The first round runs at once, because no instance may have run for days.
  void start();

 private:
  task<> extend_due();
  /// Extends the due projects of a batch.
  task<> extend_these(std::vector<uuid> due);

  parts parts_;
  /// Projects whose last attempt did not end well. They come last in the next round, so that they hold up no others.
  std::set<uuid> failed_{};
};

}  // namespace svc::app
