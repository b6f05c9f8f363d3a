// After COMMIT: forget, raise, hold the answer while Redis does not confirm, answer.
#include "model/simulator.hpp"

#include <algorithm>

namespace svc::model {

void simulator::publish(state& s, change& c) {
  std::vector<subject_epoch> touched;
  for (u8 subject = 0; subject < max_subjects; ++subject) {
    if (c.reported[subject] != 0) touched.push_back({records::subject(subject), c.reported[subject]});
  }
  records_.with_memory(s.workers[c.worker], s.now, [&](access::record_cache& memory) { memory.invalidate(touched); });
  bool const no_change = c.kind != edit::create && c.row == 0;
  c.phase = doing::raising;
  if (!rules_.answer_after_bump || (no_change && !rules_.bump_for_no_change)) c.phase = doing::answering;
  if (c.late != 0 && !rules_.late_commit_publishes) c.phase = doing::answering;
  c.late = 0;
}

u8 simulator::unconfirmed(change const& c) {
  u8 set = 0;
  for (u8 i = 0; i < max_subjects; ++i) {
    if (c.reported[i] != 0 && ((c.bumped >> i) & 1) == 0) set = static_cast<u8>(set | (1 << i));
  }
  return set;
}

void simulator::give_late(state& s, u8 subject, u8 epoch) {
  auto const position = std::ranges::find_if(s.bumps, [](late_bump const& l) { return l.epoch == 0; });
  if (position != s.bumps.end()) *position = {subject, epoch};
}

/// The raise of the next subject; for a creation, `announce`. A raise that Redis did not confirm is tried again.
void simulator::bump(state& s, change& c, fate fate) {
  if (c.kind == edit::create) {
    if (fate != fate::lost) run_announce(s, c.target);
    if (fate != fate::done) c.excused = 1;
    c.phase = doing::answering;
    return;
  }
  u8 subject = 0;
  while (subject < max_subjects && ((unconfirmed(c) >> subject) & 1) == 0) ++subject;
  if (fate == fate::later) return give_late(s, subject, c.reported[subject]);
  run_bump(s, subject, c.reported[subject]);
  if (fate != fate::done) return;
  c.bumped = static_cast<u8>(c.bumped | (1 << subject));
  if (unconfirmed(c) == 0) c.phase = doing::answering;
}

/// As `outbox_store::told`: no row about any of them still has to be told to Redis.
bool simulator::known_to_others(state const& s, u8 subjects) const {
  return std::ranges::none_of(s.truth.rows, [&](row const& r) {
    bool about = false;
    for (u8 i = 0; i < max_subjects; ++i) about = about || (((subjects >> i) & 1) != 0 && r.epochs[i] != 0);
    return r.id != 0 && r.delivered == 0 && about;
  });
}

/// The service waits by time. In the model, the time is up when each worker has lost its trust in Redis since the
/// COMMIT, and therefore trusts it again only after reading the outbox, which shows the row. A worker that always
/// reaches Redis relays before that; that it cannot, because it has lost PostgreSQL, is an accepted fault, and not
/// modelled.
bool simulator::nobody_trusts(u8 noticed) const {
  u8 const all = static_cast<u8>((1 << where_.workers) - 1);
  return (noticed & all) == all;
}

/// The workers that do not trust Redis now, and have not yet read the outbox in order to trust it again.
u8 simulator::distrusting(state const& s) const {
  u8 set = 0;
  for (u8 w = 0; w < max_workers; ++w) {
    worker const& worker = s.workers[w];
    bool const looked = worker.relay.mending != 0 && rules_.notice_follows_commit;
    if (worker.breaker_open != 0 && !looked) set = static_cast<u8>(set | (1 << w));
  }
  return set;
}

void simulator::notice(state& s, u8 w) {
  u8 const me = static_cast<u8>(1 << w);
  for (change& c : s.changes) {
    bool const waits = c.phase == doing::committed || c.phase == doing::raising;
    if (waits) c.noticed |= me;
  }
  for (request& q : s.requests) {
    if (q.phase == going::telling) q.noticed |= me;
  }
}

/// The outbox says that Redis was updated, but does not know that Redis lost it again.
bool simulator::lost_again(state const& s, u8 subject, u8 epoch) {
  return s.cache.epoch[subject] < epoch && epoch <= s.lost_epoch[subject];
}

void simulator::hold_ends(state& s, change& c) {
  tally_.add(known_to_others(s, unconfirmed(c)) ? counted::known_to_others : counted::held);
  for (u8 i = 0; i < max_subjects; ++i) {
    if (lost_again(s, i, c.reported[i])) c.excused = static_cast<u8>(c.excused | (1 << i));
  }
  c.held = 1;
  c.phase = doing::answering;
}

void simulator::answer(state& s, change& c) {
  tally_.add(counted::answered);
  for (u8 subject = 0; subject < max_subjects && c.held == 0; ++subject) {
    if (((c.excused >> subject) & 1) == 0 && s.cache.epoch[subject] < c.reported[subject]) broken(answered_early);
  }
  for (u8 t = 0; t < max_tokens; ++t) {
    if (((c.touched >> t) & 1) == 0 || c.excused != 0 || s.lost[t].has(c.version)) continue;
    s.floor[t] = std::max(s.floor[t], c.version);
    s.ended = static_cast<u8>(s.ended | (ended_by(c) & (1 << t)));
  }
  bool const made = c.kind == edit::create && c.excused == 0 && !s.lost[c.target].has(c.version);
  if (made) s.created[c.target] = 1;
  c = {};
  c.phase = doing::done;
}

}  // namespace svc::model
