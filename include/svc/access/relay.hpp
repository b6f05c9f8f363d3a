#pragma once

#include "svc/access/authenticator.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/domain/principal.hpp"
#include "svc/redis/client.hpp"
#include "svc/redis/subscriber.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::store {
class outbox_store;
}

namespace svc::access {

/// Brings committed changes to Redis that their own request could not bring there, or that Redis has lost since. Runs
/// twice a second in each instance; instances repeat each other's work, which does no harm. Worker-local.
class relay {
 public:
  /// `forget` drops older records from every worker of this instance.
  relay(redis::client& redis, store::outbox_store& outbox,
        std::function<void(std::vector<subject_epoch> const&)> invalidate)
      : redis_(redis), outbox_(outbox), invalidate_(std::move(invalidate)) {}

  /// True when everything that was due is in Redis; false when a store is unreachable.
  task<bool> pass(deadline until);
  /// The part of a pass that works while Redis is lost: drops older records from this instance. Throws `unavailable`.
  task<> hear(deadline until);

 private:
  task<bool> deliver(std::vector<subject_epoch> due, deadline until);
  task<bool> deliver_part(std::vector<subject_epoch> due, deadline until);

  redis::client& redis_;
  store::outbox_store& outbox_;
  std::function<void(std::vector<subject_epoch> const&)> invalidate_;
};

/// Subscribes this instance to raised epochs, whichever instance raised them. What it misses while disconnected, the
/// relay brings within a second. Belongs to the thread of its `io_context`.
class epoch_subscriber final : redis::subscriber::listener {
 public:
  /// Called on that thread.
  struct callbacks {
    std::function<void(std::vector<subject_epoch> const&)> heard;
    /// As `redis::subscriber::listener::on_masters`. May be empty.
    std::function<void(std::vector<redis::address> const& masters, std::size_t taken_over)> masters{};
  };

  /// Throws as `redis::subscriber` does.
  epoch_subscriber(asio::io_context& io, redis::settings where, callbacks on_news);

  void start();
  void stop();

 private:
  void on_message(std::string_view channel, std::string_view payload) override;
  void on_subscribed(std::string_view) override {}
  void on_masters(std::vector<redis::address> const& masters, std::size_t taken_over) override;

  redis::subscriber subscription_;
  callbacks const on_news_;
};

/// Reads what the scripts publish about a raise: `svc:{<subject>}:epoch <epoch>`. Nothing for any other text.
std::optional<subject_epoch> read_bump(std::string_view payload);

/// Recovery from a lost Redis: the server must be a primary that accepts writes and must hold every change committed
/// meanwhile, and in a Cluster so must each master; then the worker forgets all records. Worker-local.
class redis_recovery {
 public:
  redis_recovery(redis::client& redis, relay& changes, authenticator& authenticator)
      : redis_(redis), changes_(changes), authenticator_(authenticator) {}

  /// One try; true when decisions may be taken in Redis again.
  task<bool> mend(deadline until);
  /// The error with which Redis answered the last try; empty if it answered with none.
  std::string const& refusal() const { return refusal_; }

 private:
  /// The server of that tag is a primary that accepts writes and takes decisions.
  task<bool> probe(std::string tag, deadline until);
  /// One decision about a window that nobody else uses. False if it was not taken.
  task<bool> decide(std::string tag, deadline until);

  redis::client& redis_;
  relay& changes_;
  authenticator& authenticator_;
  std::string refusal_{};
};

}  // namespace svc::access
