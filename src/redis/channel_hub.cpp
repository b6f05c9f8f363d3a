#include "svc/redis/channel_hub.hpp"

#include "svc/core/spawn_task.hpp"

#include <boost/asio/post.hpp>

namespace svc::redis {

channel_hub::channel_hub(asio::io_context& io, settings where, background_loop_ptr looks)
    : io_(io), subscription_(io, std::move(where), *this), looks_(std::move(looks)), tick_(io) {}

channel_hub::~channel_hub() = default;

void channel_hub::start() {
  subscription_.start();
  spawn_task(io_, look_after());
}

void channel_hub::stop() {
  stopped_ = true;
  tick_.cancel();
  subscription_.stop();
}

task<> channel_hub::look_after() {
  while (!stopped_) {
    co_await attempt(looks_, look());
    tick_.expires_after(interval);
    co_await tick_.async_wait(awaiting);
  }
}

task<> channel_hub::look() {
  hears_ = subscription_.connected();
  on_look(hears_);
  co_return;
}

void channel_hub::watch(std::string channel, watcher_ptr joining) {
  asio::post(io_, [this, channel = std::move(channel), joining = std::move(joining)] {
    if (stopped_) return;
    auto& watchers = watched_[channel];
    bool const first = watchers.empty();
    watchers.push_back(joining);
    on_watched(channel, joining, first);
    if (first) subscription_.subscribe(channel);
  });
}

void channel_hub::leave(std::string channel, watcher_ptr joining) {
  asio::post(io_, [this, channel = std::move(channel), joining = std::move(joining)] {
    auto const found = watched_.find(channel);
    if (found == watched_.end()) return;
    std::erase(found->second, joining);
    if (!found->second.empty()) return;
    watched_.erase(found);
    subscription_.unsubscribe(channel);
    on_left(channel);
  });
}

void channel_hub::for_watchers(std::string_view channel, std::function<void(watcher_ptr const&)> const& each) const {
  auto const found = watched_.find(channel);
  if (found == watched_.end()) return;
  for (auto const& watcher : found->second) each(watcher);
}

void channel_hub::subscribe_again(std::string const& channel) {
  if (!watched_.contains(channel)) return;
  subscription_.unsubscribe(channel);
  subscription_.subscribe(channel);
}

void channel_hub::on_subscribed(std::string_view channel) {
  if (watched_.contains(channel)) hears_ = true;
}

}  // namespace svc::redis
