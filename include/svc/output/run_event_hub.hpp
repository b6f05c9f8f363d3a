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

/// Something that happened to a run. A value; each watching worker gets a copy.
struct news {
  std::shared_ptr<event_batch const> batch{};  ///< null: no events, or some may be missing; the recipient must read
  bool ended = false;                          ///< the run is over
};

/// Receives the news for one worker. `deliver` runs on that worker's thread.
class inbox {
 public:
  explicit inbox(asio::io_context& io) : io_(io) {}
  virtual ~inbox() = default;
  virtual void deliver(uuid run, news news) = 0;
  asio::io_context& io() const { return io_; }

 private:
  asio::io_context& io_;
};

/// Notifies the workers of this instance about the runs that they watch. Has two Redis connections: the first
/// subscribes once to each run that any worker watches, the second reads new events once for all workers. Belongs to
/// the thread of its `io_context`; methods marked "any thread" post to it or read an atomic. Outlives the last news
/// for an inbox.
class run_event_hub final : redis::subscriber::listener {
 public:
  static constexpr milliseconds interval{500};  ///< between two checks of the subscribing connection

  /// `looks` records the health of the checks of the subscribing connection.
  run_event_hub(asio::io_context& io, redis::settings where, background_loop_ptr looks);
  ~run_event_hub() override;

  void start();
  void stop();
  /// Any thread. True while the subscriptions are active. While false, watchers learn of changes only by polling.
  bool hears() const { return hears_; }
  /// Any thread. Requires one call for each run and worker; `leave` ends the watch.
  void watch(uuid run, std::shared_ptr<inbox> inbox);
  void leave(uuid run, std::shared_ptr<inbox> inbox);

 private:
  struct feed;

  void on_message(std::string_view channel, std::string_view payload) override;
  void on_subscribed(std::string_view channel) override;
  feed* feed_of(std::string_view channel);
  void notify(feed const& feed, news const& news);
  task<> read(uuid run);
  task<> read_announced(std::shared_ptr<feed> feed);
  task<> look_after();
  task<> look();

  asio::io_context& io_;
  redis::client reader_;
  redis::subscriber subscription_;
  std::unordered_map<uuid, std::shared_ptr<feed>, uuid_hash> feeds_{};
  std::atomic<bool> hears_{false};
  background_loop_ptr looks_;
  steady_timer tick_;
  bool stopped_ = false;
};

}  // namespace svc::output
