#include "svc/live/feed/publisher.hpp"

#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/redis/client.hpp"

#include <array>
#include <deque>
#include <exception>
#include <string>
#include <unordered_map>
#include <utility>

namespace svc::feed {
namespace {

constexpr milliseconds publish_patience{1000};

}  // namespace

/// Outlives the publisher while a message is on its way.
struct publisher::impl : std::enable_shared_from_this<impl> {
  impl(asio::io_context& target, redis::client& client, metrics& counters, milliseconds pause)
      : io(target),
        redis(client),
        collects(pause),
        tick(target),
        published(counted(counters, "published")),
        lost(counted(counters, "lost")),
        dropped(counted(counters, "dropped")) {}

  static counter counted(metrics& counters, std::string outcome) {
    return counters.make_counter("svc_feed_messages_total", "Messages about changes for open pages",
                                 {{"outcome", std::move(outcome)}});
  }

  change_set* set_of(uuid project);
  void wait();
  void publish_due();
  std::pair<std::string, std::string> take_next();
  task<> publish(std::shared_ptr<impl> self, std::string channel, std::string message);

  asio::io_context& io;
  redis::client& redis;
  milliseconds collects;
  steady_timer tick;
  counter published, lost, dropped;
  std::unordered_map<uuid, change_set, uuid_hash> collected;
  std::deque<std::pair<steady::time_point, uuid>> due;  ///< the projects of `collected`, in the order of their times
  bool waiting = false;
};

publisher::publisher(asio::io_context& io, redis::client& redis, metrics& counters, milliseconds collects)
    : impl_(std::make_shared<impl>(io, redis, counters, collects)) {}

publisher::~publisher() {
  impl_->tick.cancel();
}

void publisher::note(uuid project, run_state state) noexcept {
  try {
    if (auto* set = impl_->set_of(project)) set->add(std::move(state));
  } catch (std::exception const& e) {
    log::warn("a change could not be announced to open pages", {{"why", e.what()}});
  }
}

void publisher::note_queued(uuid project, uuid job, uuid run) noexcept {
  note(project, {.run = run, .job = job, .status = "queued", .order = run_order(0, run_step::queued)});
}

void publisher::note(std::vector<changed_thing> const& changes) noexcept {
  try {
    for (auto const& each : changes) {
      auto const kind = parse_resource(each.resource);
      auto* set = kind ? impl_->set_of(each.project) : nullptr;
      if (set == nullptr) continue;
      if (each.id)
        set->add(*kind, *each.id);
      else
        set->add_more(*kind);
    }
  } catch (std::exception const& e) {
    log::warn("a change could not be announced to open pages", {{"why", e.what()}});
  }
}

/// Returns the changes that are collected for the project; null if too many projects are collected.
change_set* publisher::impl::set_of(uuid project) {
  auto const found = collected.find(project);
  if (found != collected.end()) return &found->second;
  if (collected.size() >= most_projects) {
    dropped.add();
    return nullptr;
  }
  auto& set = collected.emplace(project, change_set(collector_bounds)).first->second;
  due.emplace_back(steady::now() + collects, project);
  wait();
  return &set;
}

void publisher::impl::wait() {
  if (due.empty() || std::exchange(waiting, true)) return;
  tick.expires_at(due.front().first);
  tick.async_wait([weak = weak_from_this()](boost::system::error_code failed) {
    auto const self = weak.lock();
    if (!self) return;
    self->waiting = false;
    if (!failed) self->publish_due();
  });
}

void publisher::impl::publish_due() {
  auto const now = steady::now();
  while (!due.empty() && due.front().first <= now) {
    auto [channel, message] = take_next();
    spawn_task(io, publish(shared_from_this(), std::move(channel), std::move(message)));
  }
  wait();
}

/// Returns the channel and the message of the project that has been collected for longest.
std::pair<std::string, std::string> publisher::impl::take_next() {
  auto const project = due.front().second;
  due.pop_front();
  auto const done = collected.extract(project);
  return {channel_of(project), write_changes(done.mapped())};
}

bool publisher::collects() const {
  return !impl_->due.empty();
}

task<> publisher::flush(deadline until) {
  auto const self = impl_;
  while (!self->due.empty()) {
    auto [channel, message] = self->take_next();
    if (until.passed()) {
      self->dropped.add();
      continue;
    }
    co_await self->publish(self, std::move(channel), std::move(message));
  }
}

task<> publisher::impl::publish([[maybe_unused]] std::shared_ptr<impl> self, std::string channel,
                                std::string message) {
  std::array<std::string_view, 3> const words{redis.publish_word(), channel, message};
  auto const answered = co_await redis.command(words, deadline::after(publish_patience));
  (answered.ok() ? published : lost).add();
}

}  // namespace svc::feed
