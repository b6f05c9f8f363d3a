#pragma once

#include "app/maintenance/page_copy_maintenance.hpp"
#include "app/shared.hpp"
#include "svc/access/attempt_windows.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/http/body_budget.hpp"
#include "svc/http/public_pages/site.hpp"
#include "svc/http/public_pages/store_desk.hpp"
#include "svc/http/public_pages/store_source.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/redis/client.hpp"
#include "svc/store/repositories.hpp"

#include <functional>
#include <vector>

namespace svc::app {

/// The objects with which a worker serves public status pages. Worker-local; its parts outlive it.
class page_serving {
 public:
  struct parts {
    shared_parts& shared;
    asio::io_context& io;
    postgres::pool& db;
    store::repositories& stores;
    redis::client& redis;  ///< keeps the copies, as the connection for output does
    http::body_budget& bodies;
    limit_table const& limits;
    access::attempt_windows windows;  ///< of visitors, over all instances
    std::function<timestamp()> now;
    loop_starter loops;  ///< of work that stops before the worker does
  };
  explicit page_serving(parts parts);
  page_serving(page_serving const&) = delete;
  page_serving& operator=(page_serving const&) = delete;

  public_pages::site& site() { return site_; }
  /// Makes this worker refresh the copies of the instance. Call it before the worker's thread runs.
  void start() { copies_.start(); }

  /// Returns the scripts of the connection that keeps output and copies.
  static std::vector<redis::script const*> scripts();

 private:
  static public_pages::site_parts site_parts_of(page_serving& self, parts& parts);

  access::attempt_windows windows_;
  public_pages::store_source source_;
  public_pages::store_desk desk_;
  public_pages::site site_;
  page_copy_maintenance copies_;
};

}  // namespace svc::app
