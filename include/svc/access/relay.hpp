#pragma once

#include "svc/access/authenticator.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/domain/principal.hpp"
#include "svc/redis/client.hpp"
#include "svc/redis/subscriber.hpp"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace svc::store {
class outbox_store;
}

namespace svc::access {

/// Brings committed changes to Redis that their own request could not, or that Redis lost again. One pass a
/// second in each instance; passes of several instances do the same and do no harm. Worker-local.
class relay {
 public:
  /// `forget` drops older records from every worker of this instance.
  relay(redis::client& redis, store::outbox_store& outbox,
        std::function<void(std::vector<subject_epoch> const&)> forget)
      : redis_(redis), outbox_(outbox), forget_(std::move(forget)) {}

  /// True when everything that was due is in Redis; false when a store is away.
  task<bool> pass(deadline until);
  /// While Redis is lost: older records are dropped here all the same. Throws `unavailable`.
  task<> hear(deadline until);

 private:
  task<bool> deliver(std::vector<subject_epoch> due, deadline until);

  redis::client& redis_;
  store::outbox_store& outbox_;
  std::function<void(std::vector<subject_epoch> const&)> forget_;
};

/// The instance's ear for raised epochs, wherever they were raised. What it misses while its connection is away the
/// relay brings within a second. Belongs to the thread of its `io_context`.
class raise_ear final : redis::subscriber::listener {
 public:
  /// `heard` is called on that thread. Throws as `redis::subscriber` does.
  raise_ear(asio::io_context& io, redis::settings where,
            std::function<void(std::vector<subject_epoch> const&)> heard);

  void start();
  void stop();

 private:
  void on_message(std::string_view channel, std::string_view payload) override;
  void on_subscribed(std::string_view) override {}

  redis::subscriber ear_;
  std::function<void(std::vector<subject_epoch> const&)> heard_;
};

/// What the scripts say of a raise: `svc:{<subject>}:epoch <epoch>`. Nothing for any other text.
std::optional<subject_epoch> read_raise(std::string_view payload);

/// The way back from a lost Redis: it must be a primary that takes writes, hold every change committed meanwhile,
/// and what was believed before must be forgotten. Worker-local.
class redis_recovery {
 public:
  redis_recovery(redis::client& redis, relay& changes, authenticator& who)
      : redis_(redis), changes_(changes), who_(who) {}

  /// One try; true when decisions may be taken in Redis again.
  task<bool> mend(deadline until);

 private:
  redis::client& redis_;
  relay& changes_;
  authenticator& who_;
};

}  // namespace svc::access
