#include "postgres/pool_core.hpp"

#include "svc/core/failpoint.hpp"
#include "svc/core/random.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace svc::postgres {

namespace {

// A connection that breaks while idle is noticed within this time, even if no caller asks for one.
constexpr milliseconds sweep_interval{500};
constexpr int sweeps_per_period = 60;
constexpr milliseconds rollback_deadline{1000};

}  // namespace

pool_core::pool_core(asio::io_context& io, settings how, std::function<void(bool)> on_change)
    : io_(io),
      how_(std::move(how)),
      on_change_(std::move(on_change)),
      retry_(io),
      sweep_(io),
      opener_(std::make_shared<opener>(io, how_)) {}

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
  refuse_line("PostgreSQL: the pool is stopped");
}

statistics pool_core::stats() const {
  statistics now = counted_;
  now.idle = static_cast<int>(idle_.size());
  now.busy = busy();
  now.waiting = static_cast<int>(line_.size());
  return now;
}

pool_view pool_core::view() const {
  return {.size = how_.size,
          .idle = static_cast<int>(idle_.size()),
          .busy = busy(),
          .opening = opening_,
          .waiting = line_.size(),
          .max_waiting = how_.max_waiting,
          .healthy = healthy_,
          .cooling = cooling_,
          .stopped = stopped_};
}

task<lease> pool_core::acquire(deadline until) {
  SVC_FAILPOINT("postgres.acquire");
  auto self = shared_from_this();
  admission const decision = on_request(view());
  if (decision == admission::refuse) throw unavailable("PostgreSQL: no connection, and none to expect");
  std::unique_ptr<connection> c;
  if (decision == admission::hand_out) c = take_idle();
  // All idle ones may be dead. Nothing was sent on them, so the caller simply gets another.
  if (!c) c = co_await wait_in_line(until);
  co_return lease(std::move(self), std::move(c));
}

std::unique_ptr<connection> pool_core::take_idle() {
  while (!idle_.empty()) {
    auto c = std::move(idle_.back());
    idle_.pop_back();
    if (c->still_alive()) {
      unused_ = std::min(unused_, static_cast<int>(idle_.size()));
      lent_.push_back(c.get());
      return c;
    }
    discard(std::move(c));
  }
  return nullptr;
}

pool_core::waiter::~waiter() {
  if (in_line) pool.line_.erase(at);
  // It was served, but its coroutine ended before it could take the connection.
  if (got) pool.give_back(std::move(got));
}

task<std::unique_ptr<connection>> pool_core::wait_in_line(deadline until) {
  waiter me(io_, *this);
  me.at = line_.insert(line_.end(), &me);
  me.in_line = true;
  ++counted_.waits;
  me.timer.expires_at(until.at());
  adjust();
  if (!me.answered()) co_await me.timer.async_wait(awaiting);
  if (me.got) co_return std::move(me.got);
  if (!me.refused.empty()) throw unavailable(me.refused);
  ++counted_.timeouts;
  throw deadline_passed("PostgreSQL: no free connection within the deadline; " + std::to_string(busy()) +
                        " are lent, " + std::to_string(opening_) + " being opened");
}

task<outcome<std::vector<rows>>> pool_core::run(connection& lent, std::span<query const> batch, framing around,
                                                deadline until) {
  counted_.queries += batch.size();
  if (around == framing::implicit || around == framing::begins) ++counted_.transactions;
  return lent.run(batch, around, until);
}

void pool_core::give_back(std::unique_ptr<connection> c) {
  std::erase(lent_, c.get());
  auto const state = c->now();
  if (stopped_ || state == pipeline::phase::broken || state == pipeline::phase::busy) {
    discard(std::move(c));
    adjust();
  } else if (state == pipeline::phase::ready) {
    serve(std::move(c));
  } else {
    lent_.push_back(c.get());
    asio::co_spawn(io_, roll_back(shared_from_this(), std::move(c)), asio::detached);
  }
}

/// Gives the connection to the caller that has waited longest; without callers it becomes idle.
void pool_core::serve(std::unique_ptr<connection> c) {
  // A promotion may have become known since it was opened or lent.
  if (c->server().is_before(opener_->newest())) {
    discard(std::move(c));
    return adjust();
  }
  if (line_.empty()) {
    idle_.push_back(std::move(c));
    return;
  }
  waiter& first = *line_.front();
  line_.pop_front();
  first.in_line = false;
  lent_.push_back(c.get());
  first.got = std::move(c);
  first.timer.cancel();
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
    asio::co_spawn(io_, open_one(shared_from_this()), asio::detached);
  }
}

task<> pool_core::open_one(std::shared_ptr<pool_core> self) {
  auto made = co_await self->opener_->open();
  --self->opening_;
  if (self->stopped_) co_return;
  if (made.superseded) {
    self->adjust();
  } else if (!made.session) {
    self->could_not_open(made.why, made.silent);
  } else {
    ++self->counted_.connects;
    self->pause_.reset();
    self->drop_former();
    self->set_healthy(true);
    self->serve(std::move(made.session));
    self->adjust();
  }
}

void pool_core::follow(primary_place const& where) {
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
  for (auto* c : lent_)
    if (c->server().is_before(newest) && !c->dropped()) c->drop(opener_->why_former(c->server()));
}

void pool_core::could_not_open(std::string const& why, bool silent) {
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
  if (gives_up_waiters(view())) refuse_line(why);
}

void pool_core::refuse_line(std::string const& why) {
  while (!line_.empty()) {
    waiter& first = *line_.front();
    line_.pop_front();
    first.in_line = false;
    first.refused = why;
    first.timer.cancel();
  }
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
  adjust();
  sweep_later();
}

}  // namespace svc::postgres
