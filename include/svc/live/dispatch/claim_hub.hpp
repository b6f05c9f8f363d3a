#pragma once

#include "svc/core/async.hpp"
#include "svc/domain/runner.hpp"
#include "svc/redis/subscriber.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::dispatch {

/// News for runners: queued work, or a run to cancel. A value.
struct dispatch_news {
  std::optional<queued_work> work{};  ///< can be claimed
  std::optional<uuid> cancelled{};    ///< a run that must be cancelled
};

/// One worker's end of the hub. Each function runs on that worker's thread.
class dispatch_inbox {
 public:
  explicit dispatch_inbox(asio::io_context& io) : io_(io) {}
  virtual ~dispatch_inbox() = default;
  /// Gives the news to the waiting requests of this worker. Returns the news that other workers need.
  virtual std::vector<dispatch_news> take(std::vector<dispatch_news> news) = 0;
  /// Publishes the news to other instances.
  virtual void publish(std::vector<dispatch_news> news) = 0;
  asio::io_context& io() const { return io_; }

 private:
  asio::io_context& io_;
};

/// Passes news among the workers of an instance, and receives the news of other instances. Belongs to the thread of
/// its `io_context`; outlives the last news that an inbox passes.
class claim_hub final : redis::subscriber::listener {
 public:
  claim_hub(asio::io_context& io, redis::settings where);

  /// Adds an inbox and returns its position. Call it before the workers start.
  std::size_t join(std::weak_ptr<dispatch_inbox> inbox);
  void start();
  void stop();
  /// Any thread. Offers the news to the workers after `first`, one after another until nothing is left, and
  /// then to other instances. Wakes each of these threads, so callers should pass all news together.
  void pass(std::size_t first, std::vector<dispatch_news> news);
  /// Returns the name that distinguishes this instance's messages from those of others.
  std::string const& name() const { return name_; }

 private:
  void on_message(std::string_view channel, std::string_view payload) override;
  void on_subscribed(std::string_view) override {}
  void step(std::size_t first, std::size_t done, std::vector<dispatch_news> news, bool from_here);

  redis::subscriber subscription_;
  std::string const name_;
  std::vector<std::weak_ptr<dispatch_inbox>> inboxes_{};  ///< constant once the workers run
};

/// The Redis channel by which instances pass news to each other.
inline constexpr std::string_view dispatch_channel = "svc:dispatch";

/// Writes one message of an instance: its name, then `q <organization> <project> <type> <count>` or `c <run>`
/// for each piece of news, each on a line of its own.
std::string write_dispatch(std::string_view source, std::vector<dispatch_news> const& news);

struct dispatch_message {
  std::string source;
  std::vector<dispatch_news> news{};
};
/// Reads such a message. Total: skips an unreadable line, because a newer version may have written it.
dispatch_message read_dispatch(std::string_view text);

}  // namespace svc::dispatch
