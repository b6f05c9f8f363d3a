// The relay, the recovery of a worker's trust, and faults.
#include "model/simulator.hpp"

#include <algorithm>

namespace svc::model {
namespace {

/// Ends a relay pass. A pass that has raised everything marks its rows, even if Redis fails; it no longer mends
/// anything.
void cut_off(worker& w) {
  if (w.relay.phase == 1) w.relay = {};
  w.relay.mending = 0;
}

/// Removes the mark that a creation left in Redis: a negative entry may be there again.
void drop_created(state& s) {
  s.created = {};
  for (request& q : s.requests) q.created = 0;
}

}  // namespace

void simulator::begin_relay(state& s, u8 entry, bool mending) {
  worker& w = s.workers[entry];
  w.relay = {};
  w.relay.phase = 1;
  w.relay.mending = mending ? 1 : 0;
  w.relay.valid = 1;
  w.relay.versions = s.truth.version;
  u8 const young = rules_.relay_outlives_records ? row_age : 1;
  std::vector<subject_epoch> touched;
  for (std::size_t i = 0; i < max_rows; ++i) {
    row const& r = s.truth.rows[i];
    if (r.id == 0) continue;
    bool due = r.delivered == 0 || (s.now - r.created < young && rules_.relay_repeats);
    if (!rules_.relay_by_age) due = r.id > w.last_row;
    if (!due) continue;
    w.relay.rows = static_cast<u8>(w.relay.rows | (1 << i));
    if (!rules_.relay_marks_last) s.truth.rows[i].delivered = 1;
    if (!rules_.relay_by_age) w.last_row = std::max(w.last_row, r.id);
    for (u8 subject = 0; subject < max_subjects; ++subject) {
      w.relay.due[subject] = std::max(w.relay.due[subject], r.epochs[subject]);
      if (r.epochs[subject] != 0) touched.push_back({records::subject(subject), r.epochs[subject]});
    }
  }
  records_.with_memory(w, s.now, [&](access::record_cache& memory) { memory.invalidate(touched); });
  if (mending) notice(s, entry);
  if (mending && !rules_.mend_relays) return come_back(s, entry);
  if (std::ranges::all_of(w.relay.due, [](u8 e) { return e == 0; })) w.relay.phase = 2;
}

void simulator::relay_bump(state& s, worker& w) {
  auto const next = std::ranges::find_if(w.relay.due, [](u8 e) { return e != 0; });
  run_bump(s, static_cast<u8>(next - w.relay.due.begin()), *next);
  *next = 0;
  if (std::ranges::all_of(w.relay.due, [](u8 e) { return e == 0; })) w.relay.phase = 2;
}

/// Marks the delivered rows. From now on, everything that the pass read binds each later arrival.
void simulator::finish_relay(state& s, u8 entry) {
  worker& w = s.workers[entry];
  for (std::size_t i = 0; i < max_rows; ++i) {
    if (((w.relay.rows >> i) & 1) != 0) s.truth.rows[i].delivered = 1;
  }
  tally_.add(counted::relayed);
  if (w.relay.mending != 0) return come_back(s, entry);
  for (u8 t = 0; t < max_tokens; ++t) {
    u8 const seen = w.relay.versions[t];
    if (w.relay.valid != 0 && !s.lost[t].has(seen)) s.floor[t] = std::max(s.floor[t], seen);
  }
  w.relay = {};
}

void simulator::come_back(state& s, u8 entry) {
  worker& w = s.workers[entry];
  tally_.add(counted::mended);
  for (u8 t = 0; t < max_tokens; ++t) {
    u8 const seen = w.relay.versions[t];
    if (w.relay.valid != 0 && !s.lost[t].has(seen)) s.floor[t] = std::max(s.floor[t], seen);
  }
  w.relay = {};
  w.breaker_open = 0;
  if (rules_.mend_drops)
    records_.with_memory(w, s.now, [](access::record_cache& memory) { memory.invalidate_all(); });
  for (held& h : w.memory) {
    if (h.record.stored == stored::record) h.old = 1;
  }
}

/// The worker loses its trust: it has waited too long for an answer, or it knows that its connection has ended.
void simulator::lose_trust(state& s, u8 entry) {
  worker& w = s.workers[entry];
  tally_.add(counted::distrusted);
  notice(s, entry);
  bool const mends = w.ended != 0 ? rules_.new_connection_mends : rules_.gap_ends_trust;
  w.ended = 0;
  cut_off(w);
  if (mends) w.breaker_open = 1;
}

/// Restarts Redis. Every connection ends, with everything in flight. No worker trusts Redis afterwards before it has
/// read the outbox, so no answered change is undone.
void simulator::redis_begins_again(state& s) {
  tally_.add(counted::restarted);
  s.stalled = 0;
  s.bumps = {};
  drop_created(s);
  for (request& q : s.requests) {
    if (q.phase == going::writing) q.notifies = 0;
  }
  for (change& c : s.changes) {
    if (c.phase == doing::answering || c.bumped != 0) c.held = 1;
    if (c.kind == edit::create && c.phase == doing::answering) c.excused = 1;
  }
  for (u8 entry = 0; entry < where_.workers; ++entry) {
    worker& w = s.workers[entry];
    w.reaches_redis = 0;
    w.ended = w.breaker_open == 0 ? 1 : 0;
    cut_off(w);
    if (w.breaker_open != 0) notice(s, entry);
  }
}

/// A flush, an eviction or a failover loses confirmed data of Redis, but no connection ends: an accepted fault.
/// Answered changes hold again after the next relay pass.
void simulator::redis_lost_data(state& s, u8 subjects, redis const& before) {
  for (u8 i = 0; i < max_subjects; ++i) {
    if (((subjects >> i) & 1) != 0) s.lost_epoch[i] = std::max(s.lost_epoch[i], before.epoch[i]);
  }
  auto const hit = [&](u8 token) { return ((subjects >> subject_of[token]) & 1) != 0; };
  for (u8 t = 0; t < max_tokens; ++t) {
    if (hit(t)) s.floor[t] = s.rejoined[t] = 0;
  }
  s.ended = 0;
  for (request& q : s.requests) {
    if (q.phase == going::done || q.phase == going::waiting || !hit(q.token)) continue;
    q.floor = q.after_rejoin = q.clean = q.known_version = q.notifies = q.ended = 0;
  }
  for (change& c : s.changes) {
    if (c.phase == doing::done || c.phase == doing::idle) continue;
    for (u8 i = 0; i < max_subjects; ++i) {
      bool const had = c.reported[i] != 0 && before.epoch[i] >= c.reported[i];
      if (had) c.excused = static_cast<u8>(c.excused | (subjects & (1 << i)));
    }
    if (c.kind == edit::create && c.phase == doing::answering) c.excused = 1;
  }
  for (worker& w : s.workers) w.relay.valid = 0;
}

/// Commits that a client has seen are lost; open transactions end. Only later changes bind.
void simulator::fail_over_postgres(state& s) const {
  for (u8 t = 0; t < max_tokens; ++t) {
    for (u8 v = static_cast<u8>(s.standby.version[t] + 1); v <= s.versions; ++v) s.lost[t].add(v);
    if (s.standby.version[t] != s.truth.version[t]) s.floor[t] = 0;
    if (s.standby.exists[t] == 0) s.created[t] = 0;
    s.rejoined[t] = 0;
  }
  s.truth = s.standby;
  s.ended = 0;
  ++s.timeline;
  for (request& q : s.requests) {
    if (q.phase == going::done || q.phase == going::waiting) continue;
    q.floor = q.created = q.after_rejoin = q.clean = q.known_version = q.with_pending = q.ended = 0;
  }
  for (u8 c = 0; c < max_changes; ++c) {
    auto const phase = s.changes[c].phase;
    if (phase != doing::started && phase != doing::locked && phase != doing::prepared) continue;
    unlock(s, c);
    s.changes[c] = {};
    s.changes[c].phase = doing::done;
  }
  s.user_share = {};
  for (worker& w : s.workers) w.relay = {};
}

void simulator::happen_to_redis(state& s, step next) {
  using step_kind = step::step_kind;
  constexpr u8 all = (1 << max_subjects) - 1;
  redis const before = s.cache;
  switch (next.kind) {
    case step_kind::flush:
      s.cache = {};
      drop_created(s);
      return redis_lost_data(s, all, before);
    case step_kind::evict_epoch:
      s.cache.epoch[next.owner] = 0;
      return redis_lost_data(s, static_cast<u8>(1 << next.owner), before);
    case step_kind::evict_record:
      s.cache.records[next.owner] = {};
      s.created[next.owner] = 0;
      for (request& q : s.requests) q.created = q.token == next.owner ? u8{0} : q.created;
      for (change& c : s.changes) c.excused |= c.kind == edit::create && c.phase == doing::answering ? 1 : 0;
      return;
    case step_kind::redis_replicate:
      s.replica = s.cache;
      return;
    case step_kind::redis_failover:
      s.cache = s.replica;
      drop_created(s);
      return redis_lost_data(s, all, before);
    case step_kind::stall:
      tally_.add(counted::stalled);
      s.stalled = 1;
      return;
    case step_kind::go_on:
      s.stalled = 0;
      return;
    default:
      s.cache = next.owner == 0 ? redis{} : s.replica;
      return redis_begins_again(s);
  }
}

void simulator::environment(state& s, step next) {
  using step_kind = step::step_kind;
  switch (next.kind) {
    case step_kind::postgres_replicate:
      s.standby = s.truth;
      return;
    case step_kind::postgres_failover:
      return fail_over_postgres(s);
    case step_kind::kill:
      s.changes[next.owner] = {};
      s.changes[next.owner].phase = doing::done;
      return;
    case step_kind::partition:
      s.workers[next.owner].reaches_redis = 0;
      return cut_off(s.workers[next.owner]);
    case step_kind::freeze:
      s.changes[next.owner].frozen = 1;
      return;
    case step_kind::wake:
      return wake(s.changes[next.owner]);
    case step_kind::tick:
      ++s.now;
      // A relay pass refers to rows by their position, so this step waits until there is none.
      if (std::ranges::any_of(s.workers, [](worker const& w) { return w.relay.phase != 0; })) return;
      for (row& r : s.truth.rows) {
        if (r.delivered != 0 && s.now - r.created >= row_age) r = {};
      }
      return;
    default:
      happen_to_redis(s, next);
  }
}

}  // namespace svc::model
