#include "svc/live/output/subscriptions.hpp"

#include "live/output/followed_runs.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/store/runs/run_store.hpp"

namespace svc::output {
namespace {

constexpr milliseconds often{250};
constexpr milliseconds subscriptions_patience{2000};

}  // namespace

/// Outlives the subscriptions for as long as the hub or its own `poll` holds it.
struct subscriptions::impl final : inbox, std::enable_shared_from_this<impl> {
  impl(asio::io_context& target, run_event_hub& subject, store::run_store& store, background_loop_ptr loop)
      : inbox(target), source(subject), runs(store), asks(std::move(loop)) {
    asks->rests();
  }

  void deliver(uuid run, news news) override {
    auto const* const followers = followed.followers_of(run);
    if (followers == nullptr) return;
    for (auto* follower : *followers) follower->on_news(news);
  }
  task<> poll(std::shared_ptr<impl> self);
  task<> ask(std::vector<uuid> ids);

  run_event_hub& source;
  store::run_store& runs;
  background_loop_ptr asks;
  followed_runs followed{interval / often};
};

subscriptions::subscriptions(asio::io_context& io, run_event_hub& events, store::run_store& runs,
                             background_loop_ptr asks)
    : impl_(std::make_shared<impl>(io, events, runs, std::move(asks))) {}
subscriptions::~subscriptions() = default;

void subscriptions::follow(uuid run, follower& follower) {
  if (impl_->followed.add(run, follower)) impl_->source.watch(run, impl_);
  if (impl_->followed.begins_rounds()) spawn_task(impl_->io(), impl_->poll(impl_));
}

void subscriptions::leave(uuid run, follower& follower) {
  if (impl_->followed.remove(run, follower)) impl_->source.leave(run, impl_);
}

void subscriptions::notify(uuid run, news const& news) {
  impl_->deliver(run, news);
}

task<> subscriptions::impl::poll(std::shared_ptr<impl> self) {
  steady_timer pause(self->io());
  while (!self->followed.ends_rounds()) {
    pause.expires_after(often);
    co_await pause.async_wait(awaiting);
    auto ids = self->followed.due(self->source.hears());
    if (!ids.empty()) co_await attempt(self->asks, self->ask(std::move(ids)));
  }
  self->asks->rests();
}

task<> subscriptions::impl::ask(std::vector<uuid> ids) {
  for (uuid const& id : co_await runs.ended(std::move(ids), deadline::after(subscriptions_patience)))
    deliver(id, {nullptr, true});
}

}  // namespace svc::output
