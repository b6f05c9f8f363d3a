#pragma once

#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/http/public_pages/copies.hpp"
#include "svc/http/public_pages/rebuild_slots.hpp"
#include "svc/http/public_pages/source.hpp"
#include "svc/redis/client.hpp"

#include <utility>

namespace svc::app {

/// Refreshes the copies of all published status pages in Redis once an hour, so that instances that lose PostgreSQL
/// can serve pages that nobody has viewed. Redis gives the work to one instance. Worker-local; its dependencies must
/// outlive it.
class page_copy_maintenance {
 public:
  struct parts {
    public_pages::page_source& source;
    redis::client& redis;
    public_pages::rebuild_slots& slots;
    int most;            ///< copies of the installation
    loop_starter loops;  ///< asked between two pages whether to go on
  };
  explicit page_copy_maintenance(parts parts) : parts_(std::move(parts)), copies_(parts_.redis, parts_.most) {}
  page_copy_maintenance(page_copy_maintenance const&) = delete;
  page_copy_maintenance& operator=(page_copy_maintenance const&) = delete;

  /// On that worker, before its thread runs.
  void start();

 private:
  task<> look();
  task<> refresh();
  task<> try_refresh_page(uuid id);
  task<> refresh_page(uuid id);
  task<> remove_old();

  parts parts_;
  public_pages::page_copies copies_;
  background_loop_ptr loop_{};
};

}  // namespace svc::app
