// Applies the next step, and takes its price from the remaining events.
#include "model/simulator.hpp"

#include <algorithm>

namespace svc::model {
namespace {

using what = step::what;

struct price {
  what kind;
  event of;
};

constexpr price prices[] = {
    {what::fail, event::postgres_fails},
    {what::relay, event::relay},
    {what::flush, event::flush},
    {what::evict_epoch, event::evict_epoch},
    {what::evict_record, event::evict_record},
    {what::redis_replicate, event::redis_replicate},
    {what::redis_failover, event::redis_failover},
    {what::postgres_replicate, event::postgres_replicate},
    {what::postgres_failover, event::postgres_failover},
    {what::kill, event::kill},
    {what::tick, event::tick},
    {what::partition, event::partition},
    {what::stall, event::stall},
    {what::restart, event::restart},
    {what::freeze, event::freeze},
};

event price_of(step const& n) {
  bool const done = n.how == u8(fate::done);
  bool const command = n.kind == what::act || n.kind == what::raise || n.kind == what::tell;
  if (command && n.how == u8(fate::later)) return event::late;
  if (command && !done) return event::lose;
  if (n.kind == what::confirm && !done) return event::postgres_fails;
  if (n.kind == what::commit && !done) return event::slow_commit;
  auto const* const found = std::ranges::find(prices, n.kind, &price::kind);
  return found == std::end(prices) ? event::count : found->of;
}

}  // namespace

void simulator::apply_to_request(state& s, step n) {
  request& q = s.requests[n.who];
  auto const how = static_cast<fate>(n.how);
  switch (n.kind) {
    case what::arrive:
      arrive(s, n.who);
      break;
    case what::act:
      act(s, n.who, how);
      break;
    case what::reply:
      tell(q, {heard::admit, q.reply, q.reply_epoch, 0, {}});
      q.reply = q.reply_epoch = 0;
      advance(s, n.who);
      break;
    case what::confirm:
      confirm(s, q, how);
      break;
    case what::tell:
      tell_of_confirmation(s, q, how);
      break;
    case what::tell_ends:
      tell_of_confirmation(s, q, fate::lost);
      break;
    case what::write:
      write(s, q);
      break;
    default:
      break;
  }
}

void simulator::apply_to_change(state& s, step n) {
  change& c = s.changes[n.who];
  auto const how = static_cast<fate>(n.how);
  switch (n.kind) {
    case what::prepare:
      prepare(s, n.who);
      break;
    case what::lock:
      s.user_lock[0] = static_cast<u8>(n.who + 1);
      c.phase = doing::locked;
      break;
    case what::fan_out:
      fan_out(s, n.who);
      break;
    case what::commit:
      commit(s, n.who);
      if (how == fate::slow) tally_.add(counted::late_commit);
      c.late = how == fate::slow ? 1 : 0;
      break;
    case what::publish:
      publish(s, c);
      break;
    case what::raise:
      raise(s, c, how);
      break;
    case what::hold_ends:
      hold_ends(s, c);
      break;
    case what::time_out:
      tally_.add(counted::ended_idle);
      unlock(s, n.who);
      c.frozen = 2;
      break;
    case what::answer:
      answer(s, c);
      break;
    default:
      break;
  }
}

void simulator::apply_to_read(state& s, step n) {
  if (n.kind == what::snapshot) return snapshot(s, s.flights[n.who]);
  land(s, n.who, n.kind == what::fail);
}

void simulator::apply_to_worker(state& s, step n) {
  switch (n.kind) {
    case what::late_raise: {
      late_raise const l = s.raises[n.who];
      s.raises[n.who] = {};
      run_raise(s, l.subject, l.epoch);
      break;
    }
    case what::put: {
      record const r = s.puts[n.who];
      s.puts[n.who] = {};
      run_put(s, r);
      break;
    }
    case what::relay:
      begin_relay(s, n.who, false);
      break;
    case what::mend:
      begin_relay(s, n.who, true);
      break;
    case what::relay_raise:
      relay_raise(s, s.workers[n.who]);
      break;
    case what::relay_mark:
      finish_relay(s, n.who);
      break;
    case what::lose_trust:
      lose_trust(s, n.who);
      break;
    case what::heal:
      s.workers[n.who].reaches_redis = 1;
      break;
    default:
      break;
  }
}

char const* simulator::apply(state& s, step n) {
  broken_ = nullptr;
  event const price = price_of(n);
  bool const paid = price != event::count && s.budget[static_cast<std::size_t>(price)] != 0;
  if (paid) --s.budget[static_cast<std::size_t>(price)];
  if (is_environment(n)) {
    environment(s, n);
  } else if (n.kind <= what::write) {
    apply_to_request(s, n);
  } else if (n.kind <= what::fail) {
    apply_to_read(s, n);
  } else if (n.kind <= what::time_out) {
    apply_to_change(s, n);
  } else {
    apply_to_worker(s, n);
  }
  return broken_;
}

}  // namespace svc::model
