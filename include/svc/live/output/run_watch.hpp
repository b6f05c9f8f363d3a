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

/// Waits for runs to end. A waiting request holds no database connection; the subscriptions notify it.
/// Worker-local; the referenced objects outlive it.
class run_watch {
 public:
  run_watch(asio::io_context& io, store::run_store& runs, subscriptions& subscriptions, output_writer& writer);
  ~run_watch();
  run_watch(run_watch const&) = delete;
  run_watch& operator=(run_watch const&) = delete;

  /// Returns the run's state when the run has ended, the deadline has passed or the instance drains. Returns
  /// `std::nullopt` if the run does not exist or the database is unreachable at that moment.
  task<std::optional<run>> until_ended(uuid project, uuid id, deadline until);
  /// Reports that this instance has ended the run, so that its waiters on all instances read its state at
  /// once.
  void wake(uuid id);
  /// Ends all waits now; later ones end at once.
  void drain();
  /// Returns the number of waiting requests. They do not count towards the worker's limit of requests in
  /// flight.
  std::size_t waiting() const;

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace svc::output
