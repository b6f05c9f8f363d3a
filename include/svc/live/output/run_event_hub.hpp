#pragma once

#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/uuid.hpp"
#include "svc/redis/channel_hub.hpp"
#include "svc/redis/client.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace svc::output {

struct event_batch;

/// Something that happened to a run. A value; each watching worker gets a copy.
struct news {
  std::shared_ptr<event_batch const> batch{};  ///< null: no events, or some may be missing; the recipient must read
  bool ended = false;                          ///< the run is over
};

/// Receives the news for one worker. `deliver` runs on that worker's thread.
class inbox : public redis::channel_hub::watcher {
 public:
  using redis::channel_hub::watcher::watcher;
  virtual void deliver(uuid run, news news) = 0;
};

/// Notifies the workers of this instance about the runs that they watch. Has two Redis connections: the first
/// subscribes once to each run that any worker watches (`channel_hub`), the second reads new events once for all
/// workers.
class run_event_hub final : public redis::channel_hub {
 public:
  /// `looks` records the health of the checks of the subscribing connection.
  run_event_hub(asio::io_context& io, redis::settings where, background_loop_ptr looks);
  ~run_event_hub() override;

  void start();
  void stop();
  /// Any thread. Requires one call for each run and worker; `leave` ends the watch.
  void watch(uuid run, std::shared_ptr<inbox> inbox);
  void leave(uuid run, std::shared_ptr<inbox> inbox);

 private:
  struct feed;

  void on_watched(std::string const& channel, watcher_ptr const& joined, bool first) override;
  void on_left(std::string const& channel) override;
  void on_look(bool connected) override;
  void on_message(std::string_view channel, std::string_view payload) override;
  void on_subscribed(std::string_view channel) override;
  feed* feed_of(std::string_view channel);
  void notify(uuid run, news const& news);
  task<> read(uuid run);
  task<> read_announced(std::shared_ptr<feed> feed);

  redis::client reader_;
  std::unordered_map<uuid, std::shared_ptr<feed>, uuid_hash> feeds_{};
};

}  // namespace svc::output
