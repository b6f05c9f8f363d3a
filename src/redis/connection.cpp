#include "redis/connection.hpp"

#include <boost/asio/post.hpp>

#include <list>

namespace svc::redis {

namespace {

/// After one check of the deadlines, the timer waits at least this long for the next, however close they are.
constexpr milliseconds timer_grain{1};

/// A link to a replica stays open at least this long, to prevent a storm of connections until another server is
/// primary.
constexpr std::chrono::seconds shortest_life{1};

class handshake_waiter final : public waiter {
 public:
  handshake_waiter(deadline until, std::size_t& open) : waiter(until), open_(open) {}
  void resume() override { --open_; }
  void resume_later() override { --open_; }

 private:
  std::size_t& open_;
};

}  // namespace

connection::connection(asio::io_context& io, settings const& where, address address, tls_context const* tls,
                       statistics& counters, std::function<void(steady::time_point)> silent)
    : io_(io),
      where_(where),
      counters_(counters),
      transport_(io, where, std::move(address), tls),
      mux_(where.max_waiting, counters, where.longest_gap, where.command_deadline),
      silent_(std::move(silent)),
      timer_(io),
      ping_timer_(io) {}

task<bool> connection::open(std::vector<handshake_step> steps) {
  auto const self = shared_from_this();
  steady_timer guard(io_, where_.connect_timeout);
  guard.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
    auto const alive = weak.lock();
    if (!ec && alive) alive->close("no connection within connect_timeout");
  });
  bool good = co_await transport_.open();
  if (good) good = co_await shake_hands(std::move(steps));
  guard.cancel();
  if (!good) close(transport_.fault());
  co_return good && !closed();
}

task<bool> connection::shake_hands(std::vector<handshake_step> steps) {
  auto const until = deadline::after(where_.connect_timeout);
  std::size_t open = 0;
  std::list<handshake_waiter> waiters;
  for (auto const& step : steps) {
    ++open;
    if (!submit({.head = step.arguments}, &waiters.emplace_back(until, open))) --open;
  }
  while (open > 0 && !closed()) co_await receive_once();
  std::vector<outcome const*> outcomes;
  for (auto const& waiter : waiters) outcomes.push_back(&waiter.result);
  auto reason = handshake_fault(steps, outcomes, fault_);
  if (reason.empty()) co_return !closed();
  fault_ = std::move(reason);
  close({});
  co_return false;
}

task<> connection::serve() {
  auto const self = shared_from_this();
  if (where_.longest_gap > milliseconds::zero()) ping();
  while (!closed()) co_await receive_once();
  close(transport_.fault());
}

/// Runs three times in `longest_gap`, so that one late run does not end the connection. Sends a PING if no command
/// was sent in the meantime.
void connection::ping() {
  auto const pause = where_.longest_gap / 3;
  std::array<std::string_view, 1> const ping{"PING"};
  if (steady::now() - mux_.last_staged() >= pause) submit({.head = ping}, nullptr);
  ping_timer_.expires_after(pause);
  ping_timer_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
    if (!ec && !self->closed()) self->ping();
  });
}

task<> connection::receive_once() {
  auto const got = co_await transport_.receive();
  take(got);
  while (time_is_up_ && !closed()) check_time();
}

void connection::take(transport::received_bytes const& got) {
  if (got.state == transport::state::closed) return close(transport_.fault());
  if (got.state == transport::state::nothing) return;
  mux_.feed(got.bytes, steady::now());
  deliver();
}

void connection::deliver() {
  // A resumed coroutine may submit commands and may close this link; `next` stays valid in both cases.
  while (waiter* const waiter = mux_.next()) {
    read_only_ = read_only_ || waiter->result.value.error_code() == "READONLY";
    waiter->resume();
  }
  if (mux_.broken()) close(mux_.fault());
  if (read_only_ && !closed() && steady::now() - opened_ >= shortest_life) close("a replica answered");
}

/// Acts after a deadline has passed, perhaps because this process was busy: bytes that Redis has sent by now still
/// count.
void connection::check_time() {
  time_is_up_ = false;
  for (;;) {
    auto const got = transport_.receive_now();
    take(got);
    if (got.state != transport::state::data || closed()) break;
  }
  if (closed()) return;
  auto const now = steady::now();
  std::vector<waiter*> gone;
  mux_.expire(now, gone);
  auto const silent = mux_.silent_since();
  if (silent && now - *silent >= where_.silence_limit) close("Redis owes replies and is silent");
  bool const noticed = !closed() && mux_.notice_silence(now);
  on_timer();
  for (auto* waiter : gone) waiter->resume_later();
  if (noticed) silent_(now);
}

void connection::give_up() {
  std::vector<waiter*> gone;
  mux_.give_up(gone);
  for (auto* waiter : gone) waiter->resume_later();
}

void connection::close(std::string reason) {
  if (fault_.empty()) fault_ = reason.empty() ? "closed" : std::move(reason);
  transport_.close();
  timer_.cancel();
  ping_timer_.cancel();
  std::vector<waiter*> gone;
  mux_.end(gone);
  for (auto* waiter : gone) waiter->resume_later();
}

bool connection::submit(command_parts const& parts, waiter* waiter) {
  if (!mux_.submit(parts, waiter)) return false;
  arm(waiter != nullptr ? waiter->late().value_or(waiter->until()) : steady::now() + where_.silence_limit);
  schedule_flush();
  return true;
}

void connection::schedule_flush() {
  if (flush_scheduled_) return;
  flush_scheduled_ = true;
  // Runs after the handlers that are ready now, so their commands leave in the same write.
  asio::post(io_, [self = shared_from_this()] { self->flush(); });
}

void connection::flush() {
  flush_scheduled_ = false;
  for (;;) {
    auto const now = steady::now();
    if (!transport_.writable() || !(mux_.stage(now) || transport_.blocked())) return;
    ++counters_.writes;
    auto const taken = transport_.send(mux_.staged());
    if (transport_.closed()) return close(transport_.fault());
    mux_.wrote(taken, now);
    if (!transport_.blocked()) continue;
    flush_scheduled_ = true;
    return transport_.async_writable([self = shared_from_this()](boost::system::error_code) { self->flush(); });
  }
}

void connection::arm(steady::time_point time) {
  if (time >= armed_at_) return;
  armed_at_ = time;
  timer_.expires_at(time);
  timer_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
    if (ec) return;  // armed again for an earlier time, or closed
    self->armed_at_ = steady::time_point::max();
    self->on_timer();
  });
}

/// Acts when a deadline or the silence limit has passed; otherwise arms the timer for the next one. Replies do not
/// touch the timer.
void connection::on_timer() {
  if (closed()) return;
  auto const now = steady::now();
  auto next = mux_.earliest();
  if (auto const due = mux_.silence_due()) next = std::min(next.value_or(steady::time_point::max()), *due);
  if (auto const silent = mux_.silent_since()) {
    next = std::min(next.value_or(steady::time_point::max()), *silent + where_.silence_limit);
  }
  if (!next) return;
  if (*next > now) return arm(std::max(*next, now + timer_grain));
  time_is_up_ = true;
  transport_.wake();
}

}  // namespace svc::redis
