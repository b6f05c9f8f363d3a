#include "redis/connection.hpp"

#include "svc/core/random.hpp"

#include <boost/asio/co_spawn.hpp>

namespace svc::redis {
namespace {

/// Between two connections that somebody asks for.
constexpr std::chrono::seconds shortest_stay{1};

}  // namespace

client::connection::connection(asio::io_context& io, settings where, std::vector<script const*> scripts,
                               std::function<void(bool)> on_change)
    : io_(io),
      where_(std::move(where)),
      scripts_(std::move(scripts)),
      database_(std::to_string(where_.database)),
      on_change_(std::move(on_change)),
      pause_(io) {
  if (where_.tls) tls_.emplace(where_.tls_ca_file);
}

void client::connection::start() {
  if (started_ || stopped_) return;
  started_ = true;
  // Nothing in `run` throws but a bug or the end of memory: that must not end in silence.
  asio::co_spawn(io_, run(), [self = shared_from_this()](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
}

task<> client::connection::run() {
  backoff pause = reconnect_pause;
  while (!stopped_) {
    auto const current = std::make_shared<link>(io_, where_, tls_ ? &*tls_ : nullptr, counters_);
    link_ = current;
    if (co_await current->open(handshake_steps(where_, database_, scripts_)) && !stopped_) {
      pause.reset();
      change(true);
      tell(true);
      co_await current->serve();
    }
    current->close({});
    last_fault_ = current->fault();
    change(false);
    if (lost_) lost_();
    if (!std::exchange(replacing_, false) && !current->read_only()) tell(false);
    if (stopped_) break;
    pause_.expires_after(pause.next(random_fraction()));
    co_await pause_.async_wait(awaiting);
  }
}

void client::connection::stop() {
  stopped_ = true;
  pause_.cancel();
  if (link_) link_->close("stopped");
  change(false);
  tell(false);
  for (auto* watcher : watchers_) watcher->cancel();
}

void client::connection::reconnect() {
  auto const now = steady::now();
  if (!connected_ || now - replaced_at_ < shortest_stay) return;
  replaced_at_ = now;
  replacing_ = true;
  change(false);
  link_->close("another connection is wanted");
}

void client::connection::tell(bool connected) {
  if (std::exchange(told_, connected) != connected && on_change_) on_change_(connected);
}

void client::connection::change(bool connected) {
  if (connected_ == connected) return;
  connected_ = connected;
  if (connected) {
    if (ever_connected_) ++counters_.reconnects;
    ever_connected_ = true;
    for (auto* watcher : watchers_) watcher->cancel();
  }
}

task<bool> client::connection::wait_connected(deadline until) {
  auto const self = shared_from_this();
  while (!connected_ && !stopped_ && !until.passed()) {
    steady_timer watcher(io_, until.at());
    watchers_.push_back(&watcher);
    co_await watcher.async_wait(awaiting);
    std::erase(watchers_, &watcher);
  }
  co_return connected_;
}

bool client::connection::submit(command_parts const& parts, waiter& who) {
  if (connected_) return link_->submit(parts, &who);
  who.result.how = delivery::unsent;
  ++counters_.unsent;
  return false;
}

void client::connection::submit(command_parts const& parts) {
  if (connected_) link_->submit(parts, nullptr);
}

}  // namespace svc::redis
