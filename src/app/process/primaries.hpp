#pragma once

#include "svc/core/async.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/time.hpp"
#include "svc/postgres/primary_watch.hpp"
#include "svc/redis/primary_locator.hpp"

#include <boost/json.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace svc::app {

/// The address of a store's primary, and the number of its moves since the process started. A value.
class primary_history {
 public:
  /// Returns true if the primary was another one before.
  bool moved_to(std::string server, timestamp now);
  /// The same for a store with several primaries at once, of which `replaced` were others before.
  void moved_to(std::string servers, std::size_t replaced, timestamp now);
  /// `{server, since, switches}`; null before the first one is known.
  boost::json::value to_json() const;

 private:
  std::string server_{};
  timestamp since_{};
  std::size_t switches_ = 0;
};

/// The primaries of both stores as metrics, and for /readyz?verbose. Belongs to the control thread.
class primaries {
 public:
  /// `locator`: null without sentinels.
  primaries(asio::io_context& control, metrics& counters, std::shared_ptr<redis::primary_locator> const& locator);

  /// PostgreSQL's.
  void follow(postgres::server_report const& server, postgres::primary_server const& where);
  /// The masters of a Redis Cluster, of which `taken_over` were replicas of masters that have gone.
  void follow(std::vector<redis::address> const& masters, std::size_t taken_over);
  /// `{postgres, redis}`; PostgreSQL's has its timeline too. Redis's is null for a single server, which is known from
  /// the settings.
  boost::json::object to_json() const;

 private:
  class redis_subscription;

  gauge timeline_;
  counter postgres_switches_;
  std::int64_t last_timeline_ = 0;
  primary_history postgres_{};
  std::shared_ptr<redis_subscription> redis_{};
};

}  // namespace svc::app
