// Lends the connections of a pool to callers, at once or in line.
#include "postgres/pool_core.hpp"
#include "svc/core/failpoint.hpp"

namespace svc::postgres {

int pool_core::room(account_owner const& owner) const {
  bool const common = owner.project == uuid();
  return held_.room(owner, common && line_.tenant_waits(room_of()));
}

task<lease> pool_core::acquire(deadline until, line_end end) {
  SVC_FAILPOINT("postgres.acquire");
  auto self = shared_from_this();
  bool const has_room = room(until.owner()) > 0;
  admission const decision = on_request(view(), has_room);
  if (decision == admission::refuse)
    throw unavailable("PostgreSQL is unreachable: no connection is open and none is expected soon");
  std::unique_ptr<connection> c;
  if (decision == admission::hand_out) c = take_idle();
  if (c) {
    lend(*c, until.owner());
  } else {
    // All idle connections may be dead. Nothing was sent on them, so the caller simply gets another one.
    if (!has_room) held_.note_exhausted(until.owner());
    require_position(until.owner());
    c = co_await wait_in_line(until, end);
  }
  co_return lease(std::move(self), std::move(c));
}

void pool_core::require_position(account_owner const& owner) const {
  if (owner.project != uuid() && line_.waiting(owner) >= settings_.max_waiting_of_project)
    throw unavailable("PostgreSQL: too many requests of one project wait for a connection");
}

pool_core::waiter::~waiter() {
  if (in_line) pool.line_.remove(*this);
  // The waiter was served, but its coroutine ended before it could take the connection.
  if (got) pool.give_back(std::move(got));
}

task<std::unique_ptr<connection>> pool_core::wait_in_line(deadline until, line_end end) {
  waiter me(io_, *this, until.owner());
  line_.add(me, end);
  me.in_line = true;
  ++counted_.waits;
  me.timer.expires_at(until.at());
  adjust();
  if (!me.answered()) co_await me.timer.async_wait(awaiting);
  if (me.got) co_return std::move(me.got);
  if (!me.refused.empty()) throw unavailable(me.refused);
  ++counted_.timeouts;
  throw deadline_passed("PostgreSQL: no free connection within the deadline; " + std::to_string(busy()) +
                        " are lent, " + std::to_string(opening_) + " being opened, " +
                        std::to_string(abandoned_.size()) + " not ended by the server");
}

void pool_core::hand_over(std::unique_ptr<connection> c) {
  auto* const next = line_.size() == 0 ? nullptr : static_cast<waiter*>(line_.take(room_of()));
  if (next == nullptr) {
    idle_.push_back(std::move(c));
    return;
  }
  next->in_line = false;
  lend(*c, next->owner);
  next->got = std::move(c);
  next->timer.cancel();
}

/// Serves waiting callers from idle connections. A returned connection may make room in the shares of several owners,
/// while other connections are idle.
void pool_core::serve_from_idle() {
  while (!idle_.empty() && line_.size() != 0 && line_.eligible(room_of(), 1) != 0) {
    auto c = take_idle();
    if (!c) return;
    hand_over(std::move(c));
  }
}

void pool_core::refuse_line(std::string const& reason) {
  while (auto* const entry = static_cast<waiter*>(line_.take_any())) {
    entry->in_line = false;
    entry->refused = reason;
    entry->timer.cancel();
  }
}

steady::duration pool_core::queue_time(steady::time_point now) const {
  if (!healthy_ || line_.size() == 0) return steady::duration(0);
  return now - line_.longest(room_of(), now);
}

steady::duration pool_core::queue_time(account_owner const& owner, steady::time_point now) const {
  if (!healthy_ || line_.size() == 0) return steady::duration(0);
  return now - line_.first_of(owner, now);
}

}  // namespace svc::postgres
