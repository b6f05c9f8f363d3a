#pragma once

#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/uuid.hpp"
#include "svc/redis/client.hpp"
#include "svc/redis/subscriber.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace svc::output {

struct event_batch;

/// What happened to a run. A value, handed to every worker that watches.
struct news {
  std::shared_ptr<event_batch const> batch{};  ///< null: something may have been missed, look for yourself
  bool ended = false;                          ///< the database says that the run is over
};

/// Where a worker takes its news. `deliver` runs on that worker's thread.
class inbox {
 public:
  explicit inbox(asio::io_context& io) : io_(io) {}
  virtual ~inbox() = default;
  virtual void deliver(uuid run, news what) = 0;
  asio::io_context& io() const { return io_; }

 private:
  asio::io_context& io_;
};

/// The instance's ear: one Redis connection that subscribes to the runs which anybody here watches, whoever and how
/// many they are, and one that reads what is new, once. Belongs to the thread of its `io_context`; outlives the
/// workers' inboxes' last news. What says "any thread" posts there.
class hub final : redis::subscriber::listener {
 public:
  static constexpr milliseconds interval{500};  ///< between two looks at the subscription

  /// `looks`: how those fare.
  hub(asio::io_context& io, redis::settings where, background_loop_ptr looks);
  ~hub() override;

  void start();
  void stop();
  /// Any thread. The subscriptions stand; without them nobody is told of anything but by looking.
  bool hears() const { return hears_; }
  /// Any thread. Once for each run and worker.
  void watch(uuid run, std::shared_ptr<inbox> by);
  void leave(uuid run, std::shared_ptr<inbox> by);

 private:
  struct feed;

  void on_message(std::string_view channel, std::string_view payload) override;
  void on_subscribed(std::string_view channel) override;
  feed* feed_of(std::string_view channel);
  void tell(feed const& of, news const& what);
  task<> read(uuid run);
  task<> read_announced(std::shared_ptr<feed> of);
  task<> look_after();
  task<> look();

  asio::io_context& io_;
  redis::client reader_;
  redis::subscriber ear_;
  std::unordered_map<uuid, std::shared_ptr<feed>, uuid_hash> feeds_{};
  std::atomic<bool> hears_{false};
  background_loop_ptr looks_;
  steady_timer tick_;
  bool stopped_ = false;
};

}  // namespace svc::output
