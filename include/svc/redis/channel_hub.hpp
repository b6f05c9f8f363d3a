#pragma once

#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/redis/client.hpp"
#include "svc/redis/subscriber.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace svc::redis {

/// Subscribes once to each channel that any thread of this process watches, over one connection. A base class: the
/// derived class knows what the messages mean and notifies the watchers. Belongs to the thread of its `io_context`;
/// methods marked "any thread" post to it or read an atomic. Outlives the last message for a watcher.
class channel_hub : subscriber::listener {
 public:
  static constexpr milliseconds interval{500};  ///< between two checks of the subscribing connection

  /// The watcher of one thread. Messages for it are posted to its `io_context`.
  class watcher {
   public:
    explicit watcher(asio::io_context& io) : io_(io) {}
    virtual ~watcher() = default;
    watcher(watcher const&) = delete;
    watcher& operator=(watcher const&) = delete;
    asio::io_context& io() const { return io_; }

   private:
    asio::io_context& io_;
  };
  using watcher_ptr = std::shared_ptr<watcher>;

  /// `looks` records the health of the checks of the subscribing connection.
  channel_hub(asio::io_context& io, settings where, background_loop_ptr looks);
  ~channel_hub() override;

  void start();
  void stop();
  /// Any thread. True while the subscriptions are active. While false, watchers learn of changes only by polling.
  bool hears() const { return hears_; }

 protected:
  /// Any thread. Requires one call for each channel and watcher; `leave` ends the watch.
  void watch(std::string channel, watcher_ptr joining);
  void leave(std::string channel, watcher_ptr joining);
  /// Calls `each` for the watchers of the channel.
  void for_watchers(std::string_view channel, std::function<void(watcher_ptr const&)> const& each) const;
  /// Subscribes again to a watched channel, so that `on_subscribed` follows.
  void subscribe_again(std::string const& channel);
  bool stopped() const { return stopped_; }
  asio::io_context& io() const { return io_; }

  // On the hub's thread. `subscriber::listener` describes the messages of a channel.

  /// Reports a watcher of the channel; `first` if the channel had none, so that its subscription follows.
  virtual void on_watched(std::string const& channel, watcher_ptr const& joined, bool first) = 0;
  /// Reports that nobody watches the channel any more.
  virtual void on_left(std::string const& channel) = 0;
  /// Called at each interval with the state of the subscribing connection.
  virtual void on_look(bool connected) = 0;
  void on_message(std::string_view channel, std::string_view payload) override = 0;
  /// The overriding function calls this one, too.
  void on_subscribed(std::string_view channel) override;

 private:
  task<> look_after();
  task<> look();

  asio::io_context& io_;
  subscriber subscription_;
  std::map<std::string, std::vector<watcher_ptr>, std::less<>> watched_{};
  std::atomic<bool> hears_{false};
  background_loop_ptr looks_;
  steady_timer tick_;
  bool stopped_ = false;
};

}  // namespace svc::redis
