#include "svc/output/run_event_hub.hpp"

#include "output/announcements.hpp"
#include "output/redis_output.hpp"
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
  std::vector<std::shared_ptr<inbox>> watchers{};
  announcements heard{};
};

run_event_hub::run_event_hub(asio::io_context& io, redis::settings where, background_loop_ptr looks)
    : io_(io), reader_(io, where, {}), subscription_(io, where, *this), looks_(std::move(looks)), tick_(io) {}

run_event_hub::~run_event_hub() = default;

void run_event_hub::start() {
  reader_.start();
  subscription_.start();
  spawn_task(io_, look_after());
}

void run_event_hub::stop() {
  stopped_ = true;
  tick_.cancel();
  subscription_.stop();
  reader_.stop();
}

task<> run_event_hub::look_after() {
  while (!stopped_) {
    co_await attempt(looks_, look());
    tick_.expires_after(interval);
    co_await tick_.async_wait(awaiting);
  }
}

/// While the connection that subscribes is down, tells all watchers to read for themselves.
task<> run_event_hub::look() {
  hears_ = subscription_.connected();
  if (hears_) co_return;
  for (auto const& [run, run_feed] : feeds_) notify(*run_feed, {});
}

void run_event_hub::watch(uuid run, std::shared_ptr<inbox> inbox) {
  asio::post(io_, [this, run, inbox = std::move(inbox)] {
    if (stopped_) return;
    auto& run_feed = feeds_[run];
    bool const first = !run_feed;
    if (first) run_feed = std::make_shared<feed>(run);
    run_feed->watchers.push_back(inbox);
    if (first) {
      subscription_.subscribe(channel_of(run));
    } else {
      // The new watcher may have missed earlier events, so it must read.
      asio::post(inbox->io(), [inbox, run] { inbox->deliver(run, {}); });
    }
  });
}

void run_event_hub::leave(uuid run, std::shared_ptr<inbox> inbox) {
  asio::post(io_, [this, run, inbox = std::move(inbox)] {
    auto const found = feeds_.find(run);
    if (found == feeds_.end()) return;
    std::erase(found->second->watchers, inbox);
    if (!found->second->watchers.empty()) return;
    feeds_.erase(found);
    subscription_.unsubscribe(channel_of(run));
  });
}

run_event_hub::feed* run_event_hub::feed_of(std::string_view channel) {
  auto const run = run_of_channel(channel);
  auto const found = run ? feeds_.find(*run) : feeds_.end();
  return found == feeds_.end() ? nullptr : found->second.get();
}

void run_event_hub::notify(feed const& feed, news const& news) {
  for (auto const& inbox : feed.watchers) {
    asio::post(inbox->io(), [inbox, run = feed.run, news] { inbox->deliver(run, news); });
  }
}

void run_event_hub::on_subscribed(std::string_view channel) {
  auto* const feed = feed_of(channel);
  if (feed == nullptr) return;
  hears_ = true;
  notify(*feed, {});
}

void run_event_hub::on_message(std::string_view channel, std::string_view payload) {
  auto* const feed = feed_of(channel);
  auto const line = feed != nullptr ? read_news(payload) : std::nullopt;
  if (line && feed->heard.hear(*line)) spawn_task(io_, read(feed->run));
}

task<> run_event_hub::read(uuid run) {
  auto const found = feeds_.find(run);
  if (found == feeds_.end()) co_return;
  auto const feed = found->second;
  try {
    co_await read_announced(feed);
  } catch (std::exception const& e) {
    log::error("announced output could not be read", {{"run", run.to_string()}, {"why", e.what()}});
    notify(*feed, {feed->heard.found(std::nullopt)});
  }
  if (feed->heard.finish()) notify(*feed, {nullptr, true});
}

/// Reads and passes on everything announced, including what is announced during the read.
task<> run_event_hub::read_announced(std::shared_ptr<feed> feed) {
  while (auto const after = feed->heard.unread()) {
    if (stopped_) break;
    auto const page = co_await read_events(reader_, feed->run, *after, feed_page, deadline::after(read_patience));
    notify(*feed, {feed->heard.found(page)});
  }
}

}  // namespace svc::output
