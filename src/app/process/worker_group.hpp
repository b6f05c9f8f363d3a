#pragma once

#include "app/admin_service.hpp"
#include "app/worker.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace svc::app {

/// All workers of the process. Belongs to the control thread, except for the functions that say otherwise. Owned by
/// the application.
class worker_group {
 public:
  /// Makes the workers; their threads do not run yet. `shared` outlives them.
  worker_group(shared_parts& shared, net::tls_context const& tls, int count);
  worker_group(worker_group const&) = delete;
  worker_group& operator=(worker_group const&) = delete;

  std::size_t size() const { return all_.size(); }
  /// The worker that does the work that one worker does for the whole instance.
  worker& first() { return *all_.front(); }
  /// Returns the connections of each worker that listeners of that kind feed.
  std::vector<net::worker_connections*> connections(listener_kind kind);
  std::vector<watched_thread> watched();
  /// Thread-safe, as is `missing`.
  std::vector<worker_state> states() const;
  std::vector<missing_stores> missing() const;

  // Thread-safe. Each calls the function of that name of each worker.
  void invalidate(std::vector<subject_epoch> const& touched);
  void revalidate(std::vector<subject_epoch> const& bumped);
  void set_minimum_epoch(std::int64_t lowest_epoch);
  void follow(postgres::primary_server const& where);
  void replace_tls(net::tls_context const& tls);

  /// Passes the values that a reload may change. Returns when all workers have them, or after a few seconds if a
  /// worker is stuck.
  task<> take(configuration const& values);

  void start();
  void announce_drain();
  void drain(deadline until);
  /// True when no worker serves a request any more.
  bool drained() const;
  /// Requires that all workers have drained, because no worker may end while another one may still ask it.
  void stop();
  bool finished() const;
  void join();

 private:
  std::vector<std::unique_ptr<worker>> all_{};
};

}  // namespace svc::app
