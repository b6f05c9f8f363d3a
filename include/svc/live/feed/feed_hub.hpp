#pragma once

#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/uuid.hpp"
#include "svc/redis/channel_hub.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace svc::feed {

class change_set;

/// Receives what an instance hears about projects, for one worker. Both functions run on that worker's thread.
class feed_inbox : public redis::channel_hub::watcher {
 public:
  using redis::channel_hub::watcher::watcher;
  /// Reports whether the changes of the project arrive from now on. Repeated after each new subscription, because
  /// changes may have been missed before it.
  virtual void on_hearing(uuid project, bool hears) = 0;
  virtual void on_changes(uuid project, std::shared_ptr<change_set const> changes) = 0;
};

/// Notifies the workers of this instance of changes in the projects that somebody watches here, with one subscription
/// for each such project.
class feed_hub final : public redis::channel_hub {
 public:
  /// `looks` records the health of the checks of the subscribing connection.
  feed_hub(asio::io_context& io, redis::settings where, background_loop_ptr looks, metrics& counters);

  /// Any thread. Requires one call for each project and worker; `leave` ends the watch.
  void watch(uuid project, std::shared_ptr<feed_inbox> inbox);
  void leave(uuid project, std::shared_ptr<feed_inbox> inbox);

 private:
  /// Whether the messages of a project's channel arrive.
  enum class hearing : std::uint8_t { subscribing, good, lost };
  struct channel_state {
    uuid project;
    hearing now = hearing::subscribing;
    bool asked_again = false;  ///< at the last look no messages arrived, although the connection worked
  };

  void on_watched(std::string const& channel, watcher_ptr const& joined, bool first) override;
  void on_left(std::string const& channel) override;
  void on_look(bool connected) override;
  void on_message(std::string_view channel, std::string_view payload) override;
  void on_subscribed(std::string_view channel) override;
  void report(std::string const& channel, channel_state const& state);

  std::map<std::string, channel_state, std::less<>> states_{};
  gauge degraded_;
};

}  // namespace svc::feed
