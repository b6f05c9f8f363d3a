#pragma once

#include "svc/core/async.hpp"
#include "svc/domain/principal.hpp"
#include "svc/redis/subscriber.hpp"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace svc::access {

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

}  // namespace svc::access
