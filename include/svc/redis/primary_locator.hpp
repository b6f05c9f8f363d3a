#pragma once

#include "svc/core/async.hpp"
#include "svc/redis/address.hpp"
#include "svc/redis/client.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace svc::redis {

/// The sentinels that watch over a primary, and how to talk to them. Immutable.
struct sentinel_settings {
  std::vector<address> sentinels{};  ///< at least one
  std::string master{};              ///< the primary's name there
  std::string username{};
  secret_string password{};
  bool tls = false;
  std::string tls_ca_file{};    ///< empty: the system's store
  milliseconds deadline{1000};  ///< for one sentinel: connection, TLS, login and answer
};

/// Finds the primary of a group of Redis servers by asking its sentinels, for all connections of a process
/// (https://redis.io/docs/reference/sentinel-clients). It asks them in turn, each within its deadline; one whose
/// answer was right is asked first the next time, any other last. An answer is right when ROLE says that the server
/// is a primary; otherwise it asks again with backoff. It hears of a switch from all of them (`+switch-master`).
/// Belongs to the thread of its `io_context`; methods marked "any thread" post to it. Costs nothing while connections
/// stand.
class primary_locator {
 public:
  /// One connection's side. Called on its own `io_context`.
  class listener {
   public:
    explicit listener(asio::io_context& io) : io_(io) {}
    virtual ~listener() = default;
    /// The primary is there, as of now.
    virtual void on_found(address const& where) = 0;
    /// One round has failed. The search goes on, so `on_found` follows.
    virtual void on_not_found(std::string const& reason) = 0;
    /// The sentinels have made another server the primary, which cannot be reached yet: nothing that the former one
    /// says counts.
    virtual void on_deposed() = 0;
    asio::io_context& io() const { return io_; }

   private:
    asio::io_context& io_;
  };

  /// `server`: how to talk to the primary; its host and port are not used. Throws `std::runtime_error` when a CA file
  /// cannot be read.
  primary_locator(asio::io_context& io, sentinel_settings sentinels, settings const& server);
  ~primary_locator();
  primary_locator(primary_locator const&) = delete;
  primary_locator& operator=(primary_locator const&) = delete;

  void start();
  void stop();
  /// Any thread. Tells this listener whatever is found from now on.
  void join(std::weak_ptr<listener> listener);
  /// Any thread. Searches until the primary is found. Calls during a search add nothing to it.
  void find();
  /// What it finds, for messages: "MASTER as named by SENTINEL, SENTINEL".
  std::string const& description() const { return description_; }

 private:
  class search;
  std::shared_ptr<search> impl_;
  std::string description_;
};

}  // namespace svc::redis
