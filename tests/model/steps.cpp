// What may happen next, and doing it.
#include "model/simulator.hpp"

#include <algorithm>

namespace svc::model {
namespace {

using what = step::what;

bool left(state const& s, event e) {
  return s.budget[static_cast<std::size_t>(e)] != 0;
}

void give(std::vector<step>& out, what kind, u8 who, fate how = fate::done) {
  out.push_back({kind, who, static_cast<u8>(how)});
}

bool free_of(state const& s, change const& c, u8 subject_set) {
  for (u8 i = 0; i < max_subjects; ++i) {
    if (((subject_set >> i) & 1) != 0 && s.subject_lock[i] != 0) return false;
  }
  return c.phase != doing::done;
}

event cost_of(step const& n) {
  bool const command = n.kind == what::act || n.kind == what::raise || n.kind == what::tell;
  if (command && (n.how == u8(fate::later) || n.how == u8(fate::twice))) return event::late;
  if (command && n.how != u8(fate::done)) return event::lose;
  switch (n.kind) {
    case what::fail:
      return event::postgres_fails;
    case what::confirm:
      return n.how == u8(fate::done) ? event::count : event::postgres_fails;
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
    default:
      return event::count;
  }
}

}  // namespace

void simulator::steps_of_requests(state const& s, std::vector<step>& out) const {
  for (u8 r = 0; r < max_requests; ++r) {
    request const& q = s.requests[r];
    if (q.phase == going::waiting) give(out, what::arrive, r);
    if (q.phase == going::reply) give(out, what::reply, r);
    if (q.phase == going::writing) give(out, what::write, r);
    if (q.phase == going::confirming) {
      if (s.token_lock[0] == 0 && s.subject_lock[0] == 0) give(out, what::confirm, r);
      if (left(s, event::postgres_fails)) {
        give(out, what::confirm, r, fate::lost);
        if (s.token_lock[0] == 0 && s.subject_lock[0] == 0) give(out, what::confirm, r, fate::unheard);
      }
    }
    if (q.phase == going::telling) {
      worker const& w = s.workers[q.worker];
      if (w.reaches_redis != 0) give(out, what::tell, r);
      if (w.reaches_redis == 0 || w.breaker_open != 0 || left(s, event::lose)) give(out, what::tell, r, fate::lost);
    }
    if (q.phase != going::act) continue;
    auto const next = static_cast<auth::step>(q.step);
    if (next == auth::step::lift) {
      if (s.subject_lock[subject_of[q.token]] == 0) give(out, what::act, r);
      continue;
    }
    bool const reached = s.workers[q.worker].reaches_redis != 0;
    if (reached) give(out, what::act, r);
    if (!reached || left(s, event::lose)) {
      give(out, what::act, r, fate::lost);
      if (reached && next == auth::step::admit) give(out, what::act, r, fate::unheard);
    }
  }
  for (u8 f = 0; f < max_flights; ++f) {
    if (s.flights[f].phase == air::free) continue;
    give(out, s.flights[f].phase == air::sent ? what::snapshot : what::land, f);
    if (left(s, event::postgres_fails)) give(out, what::fail, f);
  }
}

void simulator::steps_of_changes(state const& s, std::vector<step>& out) const {
  for (u8 i = 0; i < max_changes; ++i) {
    change const& c = s.changes[i];
    switch (c.phase) {
      case doing::idle:
        if (may_prepare(s, c)) give(out, what::prepare, i);
        break;
      case doing::started:
        if (s.user_lock[0] == 0 && s.user_share[0] == 0) give(out, what::lock, i);
        break;
      case doing::locked:
        if (free_of(s, c, (1 << max_subjects) - 1)) give(out, what::fan_out, i);
        break;
      case doing::prepared:
        give(out, what::commit, i);
        break;
      case doing::committed:
        give(out, what::publish, i);
        if (left(s, event::kill)) give(out, what::kill, i);
        break;
      case doing::raising: {
        worker const& w = s.workers[c.worker];
        if (w.reaches_redis != 0) give(out, what::raise, i);
        if (w.reaches_redis == 0 || w.breaker_open != 0 || left(s, event::lose))
          give(out, what::raise, i, fate::lost);
        if (w.reaches_redis != 0 && left(s, event::lose)) give(out, what::raise, i, fate::unheard);
        bool const room = std::ranges::any_of(s.raises, [](late_raise const& l) { return l.epoch == 0; });
        if (w.reaches_redis != 0 && room && left(s, event::late) && c.kind != edit::create) {
          give(out, what::raise, i, fate::later);
          give(out, what::raise, i, fate::twice);
        }
        break;
      }
      case doing::answering:
        give(out, what::answer, i);
        break;
      case doing::done:
        break;
    }
  }
}

void simulator::steps_of_workers(state const& s, std::vector<step>& out) const {
  for (u8 w = 0; w < where_.workers; ++w) {
    worker const& me = s.workers[w];
    if (me.reaches_redis == 0) {
      give(out, what::heal, w);
      if (me.breaker_open == 0) give(out, what::open_breaker, w);
      continue;
    }
    if (me.relay.phase == 1) give(out, what::relay_raise, w);
    if (me.relay.phase == 2) give(out, what::relay_mark, w);
    if (me.relay.phase != 0) continue;
    if (me.breaker_open != 0) give(out, what::mend, w);
    if (me.breaker_open == 0 && left(s, event::relay)) give(out, what::relay, w);
  }
  for (u8 i = 0; i < max_late; ++i) {
    if (s.raises[i].epoch != 0) give(out, what::late_raise, i);
  }
  for (u8 i = 0; i < max_puts; ++i) {
    if (s.puts[i].what != stored::nothing) give(out, what::put, i);
  }
}

void simulator::steps_of_environment(state const& s, std::vector<step>& out) const {
  if (left(s, event::flush)) give(out, what::flush, 0);
  for (u8 i = 0; i < max_subjects && left(s, event::evict_epoch); ++i) {
    if (s.cache.epoch[i] != 0) give(out, what::evict_epoch, i);
  }
  for (u8 t = 0; t < max_tokens && left(s, event::evict_record); ++t) {
    if (s.cache.records[t].what != stored::nothing) give(out, what::evict_record, t);
  }
  if (left(s, event::redis_replicate)) give(out, what::redis_replicate, 0);
  if (left(s, event::redis_failover)) give(out, what::redis_failover, 0);
  if (left(s, event::postgres_replicate)) give(out, what::postgres_replicate, 0);
  if (left(s, event::postgres_failover)) give(out, what::postgres_failover, 0);
  for (u8 w = 0; w < where_.workers && left(s, event::partition); ++w) {
    if (s.workers[w].reaches_redis != 0 && s.workers[w].breaker_open == 0) give(out, what::partition, w);
  }
  // A second is long against a request: none lasts over a tick.
  bool const idle = std::ranges::all_of(s.flights, [](flight const& f) { return f.phase == air::free; }) &&
                    std::ranges::all_of(s.requests, [](request const& q) {
                      return q.phase == going::done || q.phase == going::waiting;
                    });
  if (idle && left(s, event::tick)) give(out, what::tick, 0);
}

void simulator::enabled(state const& s, std::vector<step>& out) const {
  out.clear();
  steps_of_requests(s, out);
  steps_of_changes(s, out);
  steps_of_workers(s, out);
  steps_of_environment(s, out);
}

char const* simulator::apply(state& s, step n) {
  broken_ = nullptr;
  event const cost = cost_of(n);
  bool const paid = cost != event::count && left(s, cost);
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
      break;
    case what::publish:
      publish(s, s.changes[n.who]);
      break;
    case what::raise:
      raise(s, s.changes[n.who], static_cast<fate>(n.how));
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
    case what::open_breaker:
      s.workers[n.who].breaker_open = 1;
      s.workers[n.who].relay = {};
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
