#include "svc/output/subscriptions.hpp"

#include "svc/store/run_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <unordered_map>
#include <unordered_set>

namespace svc::output {
namespace {

constexpr milliseconds often{250};
constexpr int rounds_when_told = subscriptions::interval / often;
constexpr milliseconds subscriptions_patience{2000};

}  // namespace

/// Outlives the subscriptions while the hub or its own poll holds it.
struct subscriptions::impl final : inbox, std::enable_shared_from_this<impl> {
  impl(asio::io_context& on, hub& of, store::run_store& in, background_loop_ptr how)
      : inbox(on), from(of), runs(in), asks(std::move(how)) {
    asks->rests();
  }

  void deliver(uuid run, news what) override {
    auto const found = followers.find(run);
    if (found == followers.end()) return;
    for (auto* one : found->second) one->on_news(what);
  }
  task<> poll(std::shared_ptr<impl> self);
  task<> ask(std::vector<uuid> ids);

  hub& from;
  store::run_store& runs;
  background_loop_ptr asks;
  std::unordered_map<uuid, std::unordered_set<follower*>, uuid_hash> followers{};
  bool polling = false;
};

subscriptions::subscriptions(asio::io_context& io, hub& from, store::run_store& runs, background_loop_ptr asks)
    : impl_(std::make_shared<impl>(io, from, runs, std::move(asks))) {}
subscriptions::~subscriptions() = default;

void subscriptions::follow(uuid run, follower& who) {
  auto& here = impl_->followers[run];
  if (here.empty()) impl_->from.watch(run, impl_);
  here.insert(&who);
  if (std::exchange(impl_->polling, true)) return;
  asio::co_spawn(impl_->io(), impl_->poll(impl_), asio::detached);
}

void subscriptions::leave(uuid run, follower& who) {
  auto const found = impl_->followers.find(run);
  if (found == impl_->followers.end() || found->second.erase(&who) == 0 || !found->second.empty()) return;
  impl_->followers.erase(found);
  impl_->from.leave(run, impl_);
}

void subscriptions::tell(uuid run, news const& what) {
  impl_->deliver(run, what);
}

task<> subscriptions::impl::poll(std::shared_ptr<impl> self) {
  steady_timer pause(self->io());
  for (int round = 1; !self->followers.empty(); ++round) {
    pause.expires_after(often);
    co_await pause.async_wait(awaiting);
    if (self->from.hears() && round % rounds_when_told != 0) continue;
    std::vector<uuid> ids;
    for (auto const& [run, who] : self->followers) ids.push_back(run);
    if (ids.empty()) break;
    co_await attempt(self->asks, self->ask(std::move(ids)));
  }
  self->asks->rests();
  self->polling = false;
}

task<> subscriptions::impl::ask(std::vector<uuid> ids) {
  for (uuid const& id : co_await runs.ended(std::move(ids), deadline::after(subscriptions_patience)))
    deliver(id, {nullptr, true});
}

}  // namespace svc::output
