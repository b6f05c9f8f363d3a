#include "svc/live/feed/feed_hub.hpp"

#include "svc/live/feed/changes.hpp"

#include <boost/asio/post.hpp>

namespace svc::feed {
namespace {

void deliver_hearing(redis::channel_hub::watcher_ptr const& watcher, uuid project, bool hears) {
  auto const mine = std::static_pointer_cast<feed_inbox>(watcher);
  asio::post(mine->io(), [mine, project, hears] { mine->on_hearing(project, hears); });
}

}  // namespace

feed_hub::feed_hub(asio::io_context& io, redis::settings where, background_loop_ptr looks, metrics& counters)
    : channel_hub(io, std::move(where), std::move(looks)),
      degraded_(counters.make_gauge("svc_feed_degraded", "Watched projects whose changes do not arrive")) {}

void feed_hub::watch(uuid project, std::shared_ptr<feed_inbox> inbox) {
  channel_hub::watch(channel_of(project), std::move(inbox));
}

void feed_hub::leave(uuid project, std::shared_ptr<feed_inbox> inbox) {
  channel_hub::leave(channel_of(project), std::move(inbox));
}

void feed_hub::on_watched(std::string const& channel, watcher_ptr const& joined, bool first) {
  auto const project = project_of_channel(channel).value();
  if (first) {
    states_.insert_or_assign(channel, channel_state{.project = project});
    return;
  }
  // While the subscription is in progress, nothing is reported; its outcome is reported to all watchers.
  auto const& state = states_.at(channel);
  if (state.now != hearing::subscribing) deliver_hearing(joined, project, state.now == hearing::good);
}

void feed_hub::on_left(std::string const& channel) {
  states_.erase(channel);
}

void feed_hub::report(std::string const& channel, channel_state const& state) {
  for_watchers(channel, [&](watcher_ptr const& watcher) {
    deliver_hearing(watcher, state.project, state.now == hearing::good);
  });
}

/// In a Cluster one lost master counts as a lost Redis. The channels of the other masters are subscribed again once
/// all are back, because nothing else would confirm that their messages arrive.
void feed_hub::on_look(bool connected) {
  std::size_t lost = 0;
  for (auto& [channel, state] : states_) {
    if (!connected && state.now != hearing::lost) {
      state.now = hearing::lost;
      report(channel, state);
    }
    bool const waits = connected && state.now != hearing::good;
    if (waits && std::exchange(state.asked_again, true)) subscribe_again(channel);
    if (!waits) state.asked_again = false;
    if (state.now == hearing::lost) ++lost;
  }
  degraded_.set(static_cast<double>(lost));
}

void feed_hub::on_subscribed(std::string_view channel) {
  channel_hub::on_subscribed(channel);
  auto const found = states_.find(channel);
  if (found == states_.end()) return;
  found->second.now = hearing::good;
  found->second.asked_again = false;
  report(found->first, found->second);
}

void feed_hub::on_message(std::string_view channel, std::string_view payload) {
  auto const found = states_.find(channel);
  if (found == states_.end()) return;
  auto const changes = std::make_shared<change_set const>(read_changes(payload));
  for_watchers(channel, [&](watcher_ptr const& watcher) {
    auto const mine = std::static_pointer_cast<feed_inbox>(watcher);
    asio::post(mine->io(), [mine, project = found->second.project, changes] { mine->on_changes(project, changes); });
  });
}

}  // namespace svc::feed
