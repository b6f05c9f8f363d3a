#include "svc/live/output/run_event_hub.hpp"

#include "live/output/announcements.hpp"
#include "live/output/redis_output.hpp"
#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"

#include <boost/asio/post.hpp>

#include <exception>

namespace svc::output {
namespace {

constexpr int feed_page = 64;
constexpr std::chrono::seconds read_patience{2};

}  // namespace

struct run_event_hub::feed {
  explicit feed(uuid id) : run(id) {}

  uuid run;
  announcements heard{};
};

run_event_hub::run_event_hub(asio::io_context& io, redis::settings where, background_loop_ptr looks)
    : channel_hub(io, where, std::move(looks)), reader_(io, std::move(where), {}) {}

run_event_hub::~run_event_hub() = default;

void run_event_hub::start() {
  reader_.start();
  channel_hub::start();
}

void run_event_hub::stop() {
  channel_hub::stop();
  reader_.stop();
}

/// While the connection that subscribes is down, tells all watchers to read for themselves.
void run_event_hub::on_look(bool connected) {
  if (connected) return;
  for (auto const& [run, run_feed] : feeds_) notify(run, {});
}

void run_event_hub::watch(uuid run, std::shared_ptr<inbox> inbox) {
  channel_hub::watch(channel_of(run), std::move(inbox));
}

void run_event_hub::leave(uuid run, std::shared_ptr<inbox> inbox) {
  channel_hub::leave(channel_of(run), std::move(inbox));
}

void run_event_hub::on_watched(std::string const& channel, watcher_ptr const& joined, bool first) {
  auto const run = run_of_channel(channel).value();
  if (first) {
    feeds_.insert_or_assign(run, std::make_shared<feed>(run));
    return;
  }
  // The new watcher may have missed earlier events, so it must read.
  auto const mine = std::static_pointer_cast<inbox>(joined);
  asio::post(mine->io(), [mine, run] { mine->deliver(run, {}); });
}

void run_event_hub::on_left(std::string const& channel) {
  feeds_.erase(run_of_channel(channel).value());
}

run_event_hub::feed* run_event_hub::feed_of(std::string_view channel) {
  auto const run = run_of_channel(channel);
  auto const found = run ? feeds_.find(*run) : feeds_.end();
  return found == feeds_.end() ? nullptr : found->second.get();
}

void run_event_hub::notify(uuid run, news const& news) {
  for_watchers(channel_of(run), [&](watcher_ptr const& watcher) {
    auto const mine = std::static_pointer_cast<inbox>(watcher);
    asio::post(mine->io(), [mine, run, news] { mine->deliver(run, news); });
  });
}

void run_event_hub::on_subscribed(std::string_view channel) {
  channel_hub::on_subscribed(channel);
  if (auto const* const feed = feed_of(channel)) notify(feed->run, {});
}

void run_event_hub::on_message(std::string_view channel, std::string_view payload) {
  auto* const feed = feed_of(channel);
  auto const line = feed != nullptr ? read_news(payload) : std::nullopt;
  if (line && feed->heard.hear(*line)) spawn_task(io(), read(feed->run));
}

task<> run_event_hub::read(uuid run) {
  auto const found = feeds_.find(run);
  if (found == feeds_.end()) co_return;
  auto const feed = found->second;
  try {
    co_await read_announced(feed);
  } catch (std::exception const& e) {
    log::error("announced output could not be read", {{"run", run.to_string()}, {"why", e.what()}});
    notify(feed->run, {feed->heard.found(std::nullopt)});
  }
  if (feed->heard.finish()) notify(feed->run, {nullptr, true});
}

/// Reads and passes on everything announced, including what is announced during the read.
task<> run_event_hub::read_announced(std::shared_ptr<feed> feed) {
  while (auto const after = feed->heard.unread()) {
    if (stopped()) break;
    auto const page = co_await read_events(reader_, feed->run, *after, feed_page, deadline::after(read_patience));
    notify(feed->run, {feed->heard.found(page)});
  }
}

}  // namespace svc::output
