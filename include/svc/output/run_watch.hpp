#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/run.hpp"

#include <memory>
#include <optional>

namespace svc::store {
class run_store;
}

namespace svc::output {

class subscriptions;
class output_writer;

/// Waits for runs to end. A waiting request holds no connection: it is told by the subscriptions. Worker-local; what
/// it uses outlives it.
class run_watch {
 public:
  run_watch(asio::io_context& io, store::run_store& runs, subscriptions& from, output_writer& writer);
  ~run_watch();
  run_watch(run_watch const&) = delete;
  run_watch& operator=(run_watch const&) = delete;

  /// The run as it is when it has ended, the time is over, or the instance drains; nothing when it is not there or
  /// the database is out of reach at that moment.
  task<std::optional<run>> until_ended(uuid project, uuid id, deadline until);
  /// The run's state was changed by this instance: its waiters, on any instance, look at once.
  void wake(uuid id);
  /// Ends all waits, and those that begin later.
  void drain();
  /// Requests that wait now; they take no part in the work that a worker can do at a time.
  std::size_t waiting() const;

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace svc::output
