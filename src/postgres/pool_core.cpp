#include "postgres/pool_core.hpp"

#include "svc/core/random.hpp"
#include "svc/core/spawn_task.hpp"

#include <algorithm>

namespace svc::postgres {

namespace {

// A connection that breaks while idle is noticed within this time, even if no caller asks for one.
constexpr milliseconds sweep_interval{500};
constexpr int sweeps_per_period = 60;
constexpr milliseconds rollback_deadline{1000};

}  // namespace

pool_core::pool_core(asio::io_context& io, settings settings, std::function<void(bool)> on_change)
    : io_(io),
      settings_(std::move(settings)),
      on_change_(std::move(on_change)),
      held_(settings_.size, settings_.connections),
      retry_(io),
      sweep_(io),
      opener_(std::make_shared<opener>(io, settings_)) {}

void pool_core::start() {
  stopped_ = false;
  adjust();
  sweep_later();
}

void pool_core::stop() {
  stopped_ = true;
  retry_.cancel();
  sweep_.cancel();
  counted_.closed += idle_.size();
  idle_.clear();
  for (auto& session : abandoned_) session.session->drop("the pool is stopped");
  refuse_line("PostgreSQL: the pool is stopped");
}

statistics pool_core::stats() const {
  statistics now = counted_;
  now.idle = static_cast<int>(idle_.size());
  now.busy = busy();
  now.waiting = static_cast<int>(line_.size());
  now.abandoned = static_cast<int>(abandoned_.size());
  now.read_only = read_only_;
  return now;
}

pool_view pool_core::view() const {
  return {.size = settings_.size,
          .idle = static_cast<int>(idle_.size()),
          .busy = busy(),
          .opening = opening_,
          .abandoned = static_cast<int>(abandoned_.size()),
          .waiting = line_.size(),
          .eligible = line_.eligible(room_of(), static_cast<std::size_t>(settings_.size)),
          .max_waiting = settings_.max_waiting,
          .healthy = healthy_,
          .cooling = cooling_,
          .read_only = read_only_,
          .stopped = stopped_};
}

/// The caller lends what it takes.
std::unique_ptr<connection> pool_core::take_idle() {
  while (!idle_.empty()) {
    auto c = std::move(idle_.back());
    idle_.pop_back();
    if (c->still_alive()) {
      unused_ = std::min(unused_, static_cast<int>(idle_.size()));
      return c;
    }
    discard(std::move(c));
  }
  return nullptr;
}

void pool_core::lend(connection& c, account_owner const& owner) {
  lent_.push_back({.session = &c, .owner = owner});
  held_.take(owner);
}

account_owner pool_core::take_back(connection const* c) {
  auto const iterator = std::ranges::find(lent_, c, &lent_session::session);
  auto const owner = iterator->owner;
  held_.give_back(owner);
  lent_.erase(iterator);
  return owner;
}

task<outcome<std::vector<rows>>> pool_core::run(connection& lent, std::span<query const> batch, framing around,
                                                deadline until) {
  counted_.queries += batch.size();
  if (around == framing::implicit || around == framing::begins) ++counted_.transactions;
  return lent.run(batch, around, until, read_only_);
}

void pool_core::give_back(std::unique_ptr<connection> c) {
  auto const owner = take_back(c.get());
  auto const state = c->now();
  if (c->owes_answer() && !stopped_) {
    abandon(std::move(c), owner);
  } else if (stopped_ || state == pipeline::phase::broken || state == pipeline::phase::busy) {
    discard(std::move(c));
  } else if (state == pipeline::phase::ready) {
    return serve(std::move(c));
  } else {
    lend(*c, owner);
    spawn_task(io_, roll_back(shared_from_this(), std::move(c)));
    return;
  }
  serve_from_idle();
  adjust();
}

/// Gives the connection to the caller whose turn it is; without one it becomes idle.
void pool_core::serve(std::unique_ptr<connection> c) {
  // A promotion may have become known since it was opened or lent.
  if (c->server().is_before(opener_->newest())) {
    discard(std::move(c));
    serve_from_idle();
    return adjust();
  }
  hand_over(std::move(c));
  serve_from_idle();
}

void pool_core::discard(std::unique_ptr<connection> c) {
  ++counted_.closed;
  if (c->timed_out()) ++counted_.timeouts;
  c->close();
  bool const none_left = idle_.empty() && busy() == 0;
  if (none_left && !c->timed_out() && !stopped_) set_healthy(false);
}

task<> pool_core::roll_back(std::shared_ptr<pool_core> self, std::unique_ptr<connection> c) {
  try {
    co_await c->run({}, framing::rolls_back, deadline::after(rollback_deadline));
  } catch (std::exception const&) {
    // The connection is then closed. No caller waits for this answer, but its place must be given back.
  }
  if (c->now() != pipeline::phase::ready) c->close();
  self->give_back(std::move(c));
}

void pool_core::adjust() {
  for (int n = connections_to_open(view()); n > 0; --n) {
    ++opening_;
    spawn_task(io_, open_one(shared_from_this()));
  }
}

task<> pool_core::open_one(std::shared_ptr<pool_core> self) {
  auto made = co_await self->opener_->open();
  --self->opening_;
  if (self->stopped_) co_return;
  if (made.superseded) {
    self->adjust();
  } else if (!made.session) {
    self->could_not_open(made.reason, made.silent);
  } else {
    ++self->counted_.connects;
    self->pause_.reset();
    self->drop_former();
    self->set_healthy(true);
    self->serve(std::move(made.session));
    self->adjust();
  }
}

void pool_core::follow(primary_server const& where) {
  if (opener_->follow(where)) {
    retry_.cancel();
    cooling_ = false;
    pause_.reset();
  }
  drop_former();
  adjust();
}

/// Ends the sessions on a server that a promotion has replaced: what it still answers is no longer true.
void pool_core::drop_former() {
  auto const& newest = opener_->newest();
  std::vector<std::unique_ptr<connection>> current, former;
  for (auto& c : idle_) (c->server().is_before(newest) ? former : current).push_back(std::move(c));
  idle_ = std::move(current);
  for (auto& c : former) discard(std::move(c));
  auto const drop = [&](connection& c) {
    if (c.server().is_before(newest) && !c.dropped()) c.drop(opener_->why_former(c.server()));
  };
  for (auto const& session : lent_) drop(*session.session);
  for (auto const& abandoned_session : abandoned_) drop(*abandoned_session.session);
}

void pool_core::could_not_open(std::string const& reason, bool silent) {
  if (stopped_) return;
  // A server that refuses one more connection still serves the open ones; a silent server serves none.
  if (silent || (idle_.empty() && busy() == 0)) set_healthy(false);
  cooling_ = true;
  retry_.expires_after(pause_.next(random_fraction()));
  retry_.async_wait([weak = weak_from_this()](boost::system::error_code const& ec) {
    auto self = weak.lock();
    if (ec || !self) return;
    self->cooling_ = false;
    self->adjust();
  });
  if (gives_up_waiters(view())) refuse_line(reason);
}

void pool_core::set_healthy(bool now) {
  if (healthy_ == now) return;
  healthy_ = now;
  if (on_change_) on_change_(now);
}

void pool_core::sweep_later() {
  sweep_.expires_after(sweep_interval);
  sweep_.async_wait([weak = weak_from_this()](boost::system::error_code const& ec) {
    auto self = weak.lock();
    if (!ec && self && !self->stopped_) self->sweep();
  });
}

/// Drops idle connections that broke and, once a period, sheds some that the whole period did not need.
void pool_core::sweep() {
  // First separates them, because `discard` looks at those that are left.
  std::vector<std::unique_ptr<connection>> alive, broken;
  for (auto& c : idle_) (c->still_alive() ? alive : broken).push_back(std::move(c));
  idle_ = std::move(alive);
  for (auto& c : broken) discard(std::move(c));
  unused_ = std::min(unused_, static_cast<int>(idle_.size()));
  if (++sweeps_ >= sweeps_per_period) {
    int const shed = connections_to_shed(view(), unused_);
    idle_.erase(idle_.begin(), idle_.begin() + shed);
    counted_.closed += static_cast<std::uint64_t>(shed);
    unused_ = static_cast<int>(idle_.size());
    sweeps_ = 0;
  }
  ask_about_commits();
  adjust();
  sweep_later();
}

}  // namespace svc::postgres
