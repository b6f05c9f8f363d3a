#include "svc/live/feed/project_feeds.hpp"

#include <memory>
#include <unordered_map>
#include <unordered_set>

namespace svc::feed {
namespace {

/// The viewers of one project on this worker, and the changes on their way to them.
struct project_audience {
  explicit project_audience(asio::io_context& io) : tick(io) {}

  std::unordered_set<feed_viewer*> viewers{};
  std::optional<bool> hears{};  ///< empty until the hub has reported it
  event_pace pace{};
  steady_timer tick;
  bool waiting = false;  ///< `tick` runs
};

}  // namespace

/// Outlives the feeds for as long as the hub holds it.
struct project_feeds::impl final : feed_inbox, std::enable_shared_from_this<impl> {
  impl(asio::io_context& io, feed_hub& source) : feed_inbox(io), hub(source) {}

  void on_hearing(uuid project, bool hears) override;
  void on_changes(uuid project, std::shared_ptr<change_set const> changes) override;
  void send_due(uuid project);

  feed_hub& hub;
  std::unordered_map<uuid, std::shared_ptr<project_audience>, uuid_hash> audiences;
};

project_feeds::project_feeds(asio::io_context& io, feed_hub& hub, metrics& counters)
    : impl_(std::make_shared<impl>(io, hub)),
      open_(counters.make_gauge("svc_feed_streams", "Streams of projects' changes that are being sent")) {}

project_feeds::~project_feeds() {
  impl_->audiences.clear();
}

std::optional<bool> project_feeds::join(uuid project, feed_viewer& viewer) {
  auto& audience = impl_->audiences[project];
  if (!audience) {
    audience = std::make_shared<project_audience>(impl_->io());
    impl_->hub.watch(project, impl_);
  }
  audience->viewers.insert(&viewer);
  return audience->hears;
}

void project_feeds::leave(uuid project, feed_viewer& viewer) {
  auto const found = impl_->audiences.find(project);
  if (found == impl_->audiences.end()) return;
  found->second->viewers.erase(&viewer);
  if (!found->second->viewers.empty()) return;
  impl_->audiences.erase(found);
  impl_->hub.leave(project, impl_);
}

void project_feeds::impl::on_hearing(uuid project, bool hears) {
  auto const found = audiences.find(project);
  if (found == audiences.end()) return;
  auto& audience = *found->second;
  audience.hears = hears;
  audience.pace.clear();
  for (auto* viewer : audience.viewers) viewer->on_hearing(hears);
}

void project_feeds::impl::on_changes(uuid project, std::shared_ptr<change_set const> changes) {
  auto const found = audiences.find(project);
  if (found == audiences.end()) return;
  found->second->pace.hear(*changes);
  send_due(project);
}

void project_feeds::impl::send_due(uuid project) {
  auto const found = audiences.find(project);
  if (found == audiences.end()) return;
  auto const audience = found->second;
  auto const now = steady::now();
  while (auto const event = audience->pace.take(now))
    for (auto* viewer : audience->viewers) viewer->on_event(event);
  auto const due = audience->pace.due();
  if (due == steady::time_point::max() || std::exchange(audience->waiting, true)) return;
  audience->tick.expires_at(due);
  std::weak_ptr<project_audience> const waiting = audience;
  audience->tick.async_wait([weak = weak_from_this(), waiting, project](boost::system::error_code) {
    auto const self = weak.lock();
    auto const here = waiting.lock();
    if (!self || !here) return;
    here->waiting = false;
    self->send_due(project);
  });
}

}  // namespace svc::feed
