#pragma once

#include "svc/core/async.hpp"
#include "svc/redis/address.hpp"
#include "svc/redis/client.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace svc::redis {

/// The sentinels that watch over a primary, and the settings for connections to them. Immutable.
struct sentinel_settings {
  std::vector<address> sentinels{};  ///< at least one
  std::string master{};              ///< the name by which the sentinels know the primary
  std::string username{};
  secret_string password{};
  bool tls = false;
  std::string tls_ca_file{};    ///< empty: the system's store
  milliseconds deadline{1000};  ///< for one sentinel: connection, TLS, login and answer
};

/// Finds the primary of a group of Redis servers by asking its sentinels, for all connections of a process
/// (https://redis.io/docs/reference/sentinel-clients). The locator asks the sentinels in turn, each within its
/// deadline. Next time it starts with the sentinel whose answer was right, and asks a sentinel with a wrong answer
/// last. An answer is right if ROLE says that the server is a primary; otherwise the locator asks again with backoff.
/// All sentinels announce to the locator that another server becomes the primary (`+switch-master`). Belongs to the
/// thread of its `io_context`; methods marked "any thread" post to it. Costs nothing while connections work.
class primary_locator {
 public:
  /// Receives the findings for one connection. The locator calls it on its own `io_context`.
  class listener {
   public:
    explicit listener(asio::io_context& io) : io_(io) {}
    virtual ~listener() = default;
    /// Reports the primary's present address.
    virtual void on_found(address const& where) = 0;
    /// Reports that one round has failed. The search continues, so `on_found` follows.
    virtual void on_not_found(std::string const& reason) = 0;
    /// Reports that the sentinels have made another server the primary, which is not reachable yet. Replies
    /// of the former primary no longer count.
    virtual void on_deposed() = 0;
    asio::io_context& io() const { return io_; }

   private:
    asio::io_context& io_;
  };

  /// `server` holds the settings for connections to the primary; its host and port are not used. Throws
  /// `std::runtime_error` if a CA file cannot be read.
  primary_locator(asio::io_context& io, sentinel_settings sentinels, settings const& server);
  ~primary_locator();
  primary_locator(primary_locator const&) = delete;
  primary_locator& operator=(primary_locator const&) = delete;

  void start();
  void stop();
  /// Any thread. Notifies this listener of each finding from now on.
  void join(std::weak_ptr<listener> listener);
  /// Any thread. Searches until the locator has found the primary. Calls during a search have no effect.
  void find();
  /// Returns a description of the primary for messages: "MASTER as named by SENTINEL, SENTINEL".
  std::string const& description() const { return description_; }

 private:
  class search;
  std::shared_ptr<search> impl_;
  std::string description_;
};

}  // namespace svc::redis
