// Doing what happens next, and what it takes from the events that are left.
#include "model/simulator.hpp"

namespace svc::model {
namespace {

using what = step::what;

event price_of(step const& n) {
  bool const command = n.kind == what::act || n.kind == what::raise || n.kind == what::tell;
  if (command && n.how == u8(fate::later)) return event::late;
  if (command && n.how != u8(fate::done)) return event::lose;
  switch (n.kind) {
    case what::fail:
      return event::postgres_fails;
    case what::confirm:
      return n.how == u8(fate::done) ? event::count : event::postgres_fails;
    case what::commit:
      return n.how == u8(fate::slow) ? event::slow_commit : event::count;
    case what::relay:
      return event::relay;
    case what::flush:
      return event::flush;
    case what::evict_epoch:
      return event::evict_epoch;
    case what::evict_record:
      return event::evict_record;
    case what::redis_replicate:
      return event::redis_replicate;
    case what::redis_failover:
      return event::redis_failover;
    case what::postgres_replicate:
      return event::postgres_replicate;
    case what::postgres_failover:
      return event::postgres_failover;
    case what::kill:
      return event::kill;
    case what::tick:
      return event::tick;
    case what::partition:
      return event::partition;
    case what::stall:
      return event::stall;
    case what::restart:
      return event::restart;
    case what::freeze:
      return event::freeze;
    default:
      return event::count;
  }
}

}  // namespace

char const* simulator::apply(state& s, step n) {
  broken_ = nullptr;
  event const cost = price_of(n);
  bool const paid = cost != event::count && s.budget[static_cast<std::size_t>(cost)] != 0;
  if (paid) --s.budget[static_cast<std::size_t>(cost)];
  switch (n.kind) {
    case what::arrive:
      arrive(s, n.who);
      break;
    case what::act:
      act(s, n.who, static_cast<fate>(n.how));
      break;
    case what::reply: {
      request& q = s.requests[n.who];
      tell(q, {heard::admit, q.reply, q.reply_epoch, 0, {}});
      q.reply = q.reply_epoch = 0;
      advance(s, n.who);
      break;
    }
    case what::confirm:
      confirm(s, s.requests[n.who], static_cast<fate>(n.how));
      break;
    case what::tell:
      tell_of_confirmation(s, s.requests[n.who], static_cast<fate>(n.how));
      break;
    case what::tell_ends:
      tell_of_confirmation(s, s.requests[n.who], fate::lost);
      break;
    case what::write:
      write(s, s.requests[n.who]);
      break;
    case what::snapshot:
      snapshot(s, s.flights[n.who]);
      break;
    case what::land:
      land(s, n.who, false);
      break;
    case what::fail:
      land(s, n.who, true);
      break;
    case what::prepare:
      prepare(s, n.who);
      break;
    case what::lock:
      s.user_lock[0] = static_cast<u8>(n.who + 1);
      s.changes[n.who].phase = doing::locked;
      break;
    case what::fan_out:
      fan_out(s, n.who);
      break;
    case what::commit:
      commit(s, n.who);
      if (n.how == u8(fate::slow)) tally_.add(counted::late_commit);
      s.changes[n.who].late = n.how == u8(fate::slow) ? 1 : 0;
      break;
    case what::publish:
      publish(s, s.changes[n.who]);
      break;
    case what::raise:
      raise(s, s.changes[n.who], static_cast<fate>(n.how));
      break;
    case what::hold_ends:
      hold_ends(s, s.changes[n.who]);
      break;
    case what::time_out:
      tally_.add(counted::ended_idle);
      unlock(s, n.who);
      s.changes[n.who].frozen = 2;
      break;
    case what::answer:
      answer(s, s.changes[n.who]);
      break;
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
      environment(s, n);
  }
  return broken_;
}

}  // namespace svc::model
