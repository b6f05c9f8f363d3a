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

/// Delivers committed changes to Redis that their own request could not deliver, or that Redis has lost
/// since. Runs twice a second in each instance; instances repeat each other's work, which does no harm.
/// Worker-local.
class relay {
 public:
  /// `invalidate` drops older records from every worker of this instance.
  relay(redis::client& redis, store::outbox_store& outbox,
        std::function<void(std::vector<subject_epoch> const&)> invalidate)
      : redis_(redis), outbox_(outbox), invalidate_(std::move(invalidate)) {}

  /// Returns true if all due changes are in Redis, false if a store is unreachable.
  task<bool> pass(deadline until);
  /// Does the part of a pass that works while Redis is lost: drops older records from this instance. Throws
  /// `unavailable`.
  task<> hear(deadline until);

 private:
  task<bool> deliver(std::vector<subject_epoch> due, deadline until);
  task<bool> deliver_part(std::vector<subject_epoch> due, deadline until);

  redis::client& redis_;
  store::outbox_store& outbox_;
  std::function<void(std::vector<subject_epoch> const&)> invalidate_;
};

/// Subscribes this instance to bumped epochs, whichever instance bumped them. The relay delivers within a
/// second the epochs that were missed while disconnected. Belongs to the thread of its `io_context`.
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

/// Reads the message of the scripts about a bump: `svc:{<subject>}:epoch <epoch>`. Returns `std::nullopt` for
/// any other text.
std::optional<subject_epoch> read_bump(std::string_view payload);

/// Recovery from a lost Redis. The server (in a Cluster each master) must be a primary that accepts writes,
/// and must hold every change committed meanwhile. Then the worker drops all records. Worker-local.
class redis_recovery {
 public:
  redis_recovery(redis::client& redis, relay& changes, authenticator& authenticator)
      : redis_(redis), changes_(changes), authenticator_(authenticator) {}

  /// Tries once. Returns true if Redis may decide again.
  task<bool> mend(deadline until);
  /// Returns Redis's error reply to the last try; empty if there was none.
  std::string const& refusal() const { return refusal_; }

 private:
  /// Returns true if the server of that tag is a primary that accepts writes and decides.
  task<bool> probe(std::string tag, deadline until);
  /// Requests a decision about a window that nobody else uses. Returns false if Redis did not decide.
  task<bool> decide(std::string tag, deadline until);

  redis::client& redis_;
  relay& changes_;
  authenticator& authenticator_;
  std::string refusal_{};
};

}  // namespace svc::access
