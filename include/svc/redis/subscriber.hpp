#pragma once

#include "svc/core/async.hpp"
#include "svc/redis/client.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace svc::redis {

/// One connection that receives the messages of any number of channels. It reconnects with backoff and
/// subscribes again. Messages published in the meantime are lost, so the listener is notified of each new
/// subscription. Worker-local; destroyed before its `io_context`.
///
/// In a Cluster it has one connection to each master in whose slots its channels lie. There, a channel with a
/// hash tag is sharded: it receives messages of SPUBLISH, not of PUBLISH.
class subscriber {
 public:
  class backend;

  /// Receives messages. Called on the worker, never inside a call to the subscriber.
  class listener {
   public:
    virtual ~listener() = default;
    virtual void on_message(std::string_view channel, std::string_view payload) = 0;
    /// Reports that no message is missed from now on. Called again after each reconnection.
    virtual void on_subscribed(std::string_view channel) = 0;
    /// Reports the masters of a Cluster from now on. `taken_over` of them were replicas of masters that have
    /// gone.
    virtual void on_masters(std::vector<address> const& /*masters*/, std::size_t /*taken_over*/) {}
  };

  /// Throws `std::runtime_error` if the CA file of a TLS connection cannot be read. `listener` outlives the
  /// subscriber.
  subscriber(asio::io_context& io, settings where, listener& listener);
  ~subscriber();
  subscriber(subscriber const&) = delete;
  subscriber& operator=(subscriber const&) = delete;

  void start();
  void stop();
  bool connected() const;

  void subscribe(std::string const& channel);
  void unsubscribe(std::string const& channel);

 private:
  std::shared_ptr<backend> impl_;
};

}  // namespace svc::redis
