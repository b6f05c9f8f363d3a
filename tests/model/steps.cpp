// The possible next steps.
#include "model/simulator.hpp"

#include <algorithm>
#include <bit>

namespace svc::model {
namespace {

using step_kind = step::step_kind;

bool left(state const& s, event e) {
  return s.budget[static_cast<std::size_t>(e)] != 0;
}

void give(std::vector<step>& out, step_kind kind, u8 owner, fate fate = fate::done) {
  out.push_back({kind, owner, static_cast<u8>(fate)});
}

bool free_of(state const& s, change const& c, u8 subject_set) {
  for (u8 i = 0; i < max_subjects; ++i) {
    if (((subject_set >> i) & 1) != 0 && s.subject_lock[i] != 0) return false;
  }
  return c.phase != doing::done;
}

/// A command whose reply is missing may still be in flight: while Redis does not respond, or by the event.
bool takes_late(state const& s, u8 w, u8 subject, u8 epoch) {
  bool room = false, twice = false;
  for (late_bump const& l : s.bumps) {
    room = room || l.epoch == 0;
    twice = twice || (l.subject == subject && l.epoch == epoch);
  }
  bool const sent = s.workers[w].reaches_redis != 0 && (s.stalled != 0 || left(s, event::late));
  return sent && room && !twice;
}

}  // namespace

void simulator::steps_of_requests(state const& s, std::vector<step>& out) const {
  for (u8 r = 0; r < max_requests; ++r) {
    request const& q = s.requests[r];
    if (q.phase == going::waiting) give(out, step_kind::arrive, r);
    if (q.phase == going::reply) give(out, step_kind::reply, r);
    if (q.phase == going::writing) give(out, step_kind::write, r);
    if (q.phase == going::act) steps_of_action(s, r, out);
    steps_of_confirmation(s, r, out);
  }
  for (u8 f = 0; f < max_flights; ++f) {
    if (s.flights[f].phase == air::free) continue;
    give(out, s.flights[f].phase == air::sent ? step_kind::snapshot : step_kind::complete, f);
    if (left(s, event::postgres_fails)) give(out, step_kind::fail, f);
  }
}

void simulator::steps_of_confirmation(state const& s, u8 r, std::vector<step>& out) const {
  request const& q = s.requests[r];
  if (q.phase == going::confirming) {
    bool const locked = s.token_lock[0] != 0 || s.subject_lock[0] != 0;
    bool const fails = left(s, event::postgres_fails);
    if (!locked) give(out, step_kind::confirm, r);
    if (fails) give(out, step_kind::confirm, r, fate::lost);
    if (fails && !locked) give(out, step_kind::confirm, r, fate::unheard);
  }
  if (q.phase != going::telling) return;
  bool const reached = reaches(s, q.worker);
  if (reached) give(out, step_kind::notify, r);
  if (reached && left(s, event::lose)) give(out, step_kind::notify, r, fate::unheard);
  bool const over = nobody_trusts(q.noticed) || (!reached && !rules_.answer_waits);
  if (over || (!reached && known_to_others(s, 1))) give(out, step_kind::notify_ends, r);
}

void simulator::steps_of_action(state const& s, u8 r, std::vector<step>& out) const {
  request const& q = s.requests[r];
  auto const next = static_cast<access::step>(q.step);
  if (next == access::step::advance) {
    if (s.subject_lock[subject_of[q.token]] == 0) give(out, step_kind::act, r);
    return;
  }
  // A command directly after the arrival leaves no time in between; after a read the breaker may have opened.
  bool const asks = rules_.admission_asks_breaker || next != access::step::admit || q.reads == 0;
  bool const reached = reaches(s, q.worker) && (s.workers[q.worker].breaker_open == 0 || !asks);
  if (reached) give(out, step_kind::act, r);
  if (!reached || left(s, event::lose)) give(out, step_kind::act, r, fate::lost);
  if (next != access::step::admit) return;
  if (reached && left(s, event::lose)) give(out, step_kind::act, r, fate::unheard);
  bool const bumps = q.mode >= u8(epoch_mode::fresh);
  if (!reached && bumps && takes_late(s, q.worker, subject_of[q.token], q.epoch)) {
    give(out, step_kind::act, r, fate::later);
  }
}

void simulator::steps_of_changes(state const& s, std::vector<step>& out) const {
  for (u8 i = 0; i < max_changes; ++i) {
    change const& c = s.changes[i];
    bool const in_transaction = c.phase == doing::locked || c.phase == doing::prepared;
    if (c.frozen == 1 && in_transaction && rules_.postgres_ends_idle) give(out, step_kind::time_out, i);
    // Its statement waits in PostgreSQL, which continues without the instance.
    bool const gets_lock = c.phase == doing::started && s.user_lock[0] == 0 && s.user_share[0] == 0;
    if (gets_lock) give(out, step_kind::lock, i);
    if (c.frozen != 0) continue;
    switch (c.phase) {
      case doing::idle:
        if (may_prepare(s, c)) give(out, step_kind::prepare, i);
        break;
      case doing::locked:
        if (free_of(s, c, (1 << max_subjects) - 1)) give(out, step_kind::fan_out, i);
        break;
      case doing::prepared:
        give(out, step_kind::commit, i);
        if (left(s, event::slow_commit)) give(out, step_kind::commit, i, fate::slow);
        break;
      default:
        steps_of_publishing(s, i, out);
    }
  }
}

void simulator::steps_of_publishing(state const& s, u8 i, std::vector<step>& out) const {
  change const& c = s.changes[i];
  if (c.phase == doing::committed) give(out, step_kind::publish, i);
  if (c.phase == doing::answering) give(out, step_kind::answer, i);
  bool const dies = c.phase == doing::committed || (c.phase == doing::raising && s.stalled != 0);
  if (dies && left(s, event::kill)) give(out, step_kind::kill, i);
  if (c.phase != doing::raising) return;
  bool const reached = reaches(s, c.worker);
  if (reached) give(out, step_kind::bump, i);
  if (reached && left(s, event::lose)) give(out, step_kind::bump, i, fate::unheard);
  if (c.kind == edit::create) {
    bool const missed = !reached || s.workers[c.worker].breaker_open != 0 || left(s, event::lose);
    if (missed) give(out, step_kind::bump, i, fate::lost);
    return;
  }
  u8 const rest = unconfirmed(c);
  u8 const subject = static_cast<u8>(std::countr_zero(rest));
  if (takes_late(s, c.worker, subject, c.reported[subject])) give(out, step_kind::bump, i, fate::later);
  bool const over = nobody_trusts(c.noticed) || (!reached && !rules_.answer_waits);
  if (over || (!reached && known_to_others(s, rest))) give(out, step_kind::hold_ends, i);
}

void simulator::steps_of_workers(state const& s, std::vector<step>& out) const {
  for (u8 w = 0; w < where_.workers; ++w) {
    worker const& me = s.workers[w];
    if (me.relay.phase == 2) give(out, step_kind::relay_mark, w);
    if (me.reaches_redis == 0 && (me.ended == 0 || me.breaker_open != 0)) give(out, step_kind::heal, w);
    if (!reaches(s, w)) {
      if (me.breaker_open == 0 || me.relay.phase == 1) give(out, step_kind::lose_trust, w);
      continue;
    }
    if (me.relay.phase == 1) give(out, step_kind::relay_bump, w);
    if (me.relay.phase != 0) continue;
    if (me.breaker_open != 0) give(out, step_kind::mend, w);
    if (me.breaker_open == 0 && left(s, event::relay)) give(out, step_kind::relay, w);
  }
  if (s.stalled != 0) return;
  for (u8 i = 0; i < max_late; ++i) {
    if (s.bumps[i].epoch != 0) give(out, step_kind::late_bump, i);
  }
  for (u8 i = 0; i < max_puts; ++i) {
    if (s.puts[i].stored != stored::nothing) give(out, step_kind::put, i);
  }
}

void simulator::steps_of_environment(state const& s, std::vector<step>& out) const {
  if (left(s, event::postgres_replicate)) give(out, step_kind::postgres_replicate, 0);
  if (left(s, event::postgres_failover)) give(out, step_kind::postgres_failover, 0);
  for (u8 w = 0; w < where_.workers && left(s, event::partition); ++w) {
    if (s.workers[w].reaches_redis != 0 && s.workers[w].breaker_open == 0) give(out, step_kind::partition, w);
  }
  for (u8 i = 0; i < max_changes; ++i) {
    auto const phase = s.changes[i].phase;
    bool const in_transaction = phase == doing::started || phase == doing::locked || phase == doing::prepared;
    if (s.changes[i].frozen != 0) {
      give(out, step_kind::wake, i);
    } else if (in_transaction && left(s, event::freeze)) {
      give(out, step_kind::freeze, i);
    }
  }
  // A second is long compared with a request: none spans a tick.
  bool const idle = std::ranges::all_of(s.flights, [](flight const& f) { return f.phase == air::free; }) &&
                    std::ranges::all_of(s.requests, [](request const& q) {
                      return q.phase == going::done || q.phase == going::waiting;
                    });
  if (idle && left(s, event::tick)) give(out, step_kind::tick, 0);
}

void simulator::steps_of_redis(state const& s, std::vector<step>& out) const {
  if (left(s, event::flush)) give(out, step_kind::flush, 0);
  for (u8 i = 0; i < max_subjects && left(s, event::evict_epoch); ++i) {
    if (s.cache.epoch[i] != 0) give(out, step_kind::evict_epoch, i);
  }
  for (u8 t = 0; t < max_tokens && left(s, event::evict_record); ++t) {
    if (s.cache.records[t].stored != stored::nothing) give(out, step_kind::evict_record, t);
  }
  if (left(s, event::redis_replicate)) give(out, step_kind::redis_replicate, 0);
  if (left(s, event::redis_failover)) give(out, step_kind::redis_failover, 0);
  if (s.stalled != 0) give(out, step_kind::go_on, 0);
  if (s.stalled == 0 && left(s, event::stall)) give(out, step_kind::stall, 0);
  if (left(s, event::restart)) {
    give(out, step_kind::restart, 0);
    give(out, step_kind::restart, 1);
  }
}

void simulator::enabled(state const& s, std::vector<step>& out) const {
  out.clear();
  steps_of_requests(s, out);
  steps_of_changes(s, out);
  steps_of_workers(s, out);
  steps_of_redis(s, out);
  steps_of_environment(s, out);
}

}  // namespace svc::model
