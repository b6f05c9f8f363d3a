// The transaction of a change: update, bump in a later statement, COMMIT; and the fate of a change whose instance
// freezes.
#include "model/simulator.hpp"

#include <algorithm>

namespace svc::model {
namespace {

constexpr u8 user = 0;

bool is_rotation(edit kind) {
  return kind == edit::rotate || kind == edit::rotate_first_use || kind == edit::rotate_at_once;
}

/// These search for the subjects after they have locked the row that a new role depends on.
bool searches_roles(edit kind) {
  return kind == edit::archive || kind == edit::set_policy;
}

usability wanted(edit kind) {
  if (kind == edit::revoke) return usability::revoked;
  return kind == edit::disable ? usability::disabled : usability::usable;
}

}  // namespace

u8 simulator::bumped(state& s, u8 subject) const {
  u8 const next = static_cast<u8>(s.truth.epoch[subject] + 1);
  if (!rules_.bump_follows_clock) {
    s.clock = std::max(s.clock, next);
    return next;
  }
  return std::max(next, ++s.clock);
}

/// False if a rule that is off makes this change report the epoch as it is.
bool simulator::bumps(edit kind) const {
  if (kind == edit::set_password) return rules_.password_bumps;
  if (kind == edit::refresh) return rules_.refresh_bumps;
  return !is_rotation(kind) || rules_.rotation_bumps;
}

u8 simulator::touched_by_user(state const& s, change const& c) const {
  u8 set = 0;
  for (u8 t = 0; t < max_tokens; ++t) {
    bool const of_change = c.kind == edit::ban || subject_of[t] == user;
    if (of_change && s.truth.exists[t] != 0) set = static_cast<u8>(set | (1 << t));
  }
  return set;
}

bool simulator::may_prepare(state const& s, change const& c) const {
  if (c.kind == edit::create) {
    // The unique index admits one row.
    bool const alone = std::ranges::none_of(s.changes, [&](change const& o) {
      return o.kind == edit::create && o.target == c.target && o.phase == doing::prepared;
    });
    // A token that a failover removed is not created again: ids and secrets are random.
    u8 const subject = subject_of[c.target];
    bool const first = subject == user || std::ranges::all_of(s.committed[subject].bits, [](u8 b) { return b == 0; });
    return alone && first && s.truth.exists[c.target] == 0 && (s.user_lock[user] == 0 || !rules_.creation_locks);
  }
  if (c.kind == edit::sweep) return may_change_sessions(s, c, rules_);
  // The outbox of this model has few rows; a change that has started has reserved its own.
  auto const rows = std::ranges::count_if(s.truth.rows, [](row const& r) { return r.id == 0; });
  auto const open = std::ranges::count_if(s.changes, [](change const& o) {
    return o.phase == doing::started || o.phase == doing::locked || o.phase == doing::prepared;
  });
  if (rows <= open) return false;
  if (c.kind == edit::ban) return true;
  if (c.kind >= edit::archive) return may_change_sessions(s, c, rules_);
  if (is_rotation(c.kind) && !may_rotate(s)) return false;
  if (c.kind == edit::role) return s.user_lock[user] == 0 && s.user_share[user] == 0 && s.subject_lock[user] == 0;
  return s.truth.exists[c.target] != 0 && s.token_lock[c.target] == 0 && s.subject_lock[subject_of[c.target]] == 0;
}

void simulator::prepare(state& s, u8 entry) {
  change& c = s.changes[entry];
  u8 const me = static_cast<u8>(entry + 1);
  if (c.kind == edit::ban) {
    // The statement takes its snapshot now, and gets its lock later.
    c.phase = doing::started;
    c.touched = touched_by_user(s, c);
    return;
  }
  if (c.kind == edit::create) {
    if (s.truth.user_off[user] != 0) {
      c = {};
      c.phase = doing::done;
      return;
    }
    if (rules_.creation_locks) ++s.user_share[user];
    c.phase = doing::prepared;
    return;
  }
  if (c.kind >= edit::archive) return prepare_sessions(s, entry);
  if (c.kind == edit::role) {
    s.user_lock[user] = me;
    c.touched = touched_by_user(s, c);
    fan_out(s, entry);
    return;
  }
  for (u8 t = 0; t < max_tokens; ++t) {
    if (s.truth.exists[t] != 0) c.touched = static_cast<u8>(c.touched | (family_of(c.target) & (1 << t)));
  }
  if (is_rotation(c.kind)) {
    s.token_lock[c.target] = me;
    choose_secrets(s, c);
    fan_out(s, entry);
    return;
  }
  usability const usability = s.truth.state[c.target];
  if (usability == usability::revoked || usability == wanted(c.kind)) {
    // The change has no effect, but its answer reveals an earlier one. So the answer relies on the epoch read under
    // the lock.
    tally_.add(counted::no_change);
    c.reported[subject_of[c.target]] = s.truth.epoch[subject_of[c.target]];
    c.version = s.truth.version[c.target];
    c.noticed = distrusting(s);
    c.phase = doing::committed;
    return;
  }
  s.token_lock[c.target] = me;
  fan_out(s, entry);
}

/// The statement that bumps; for a ban it collects the keys that exist now.
void simulator::fan_out(state& s, u8 entry) {
  change& c = s.changes[entry];
  u8 collected = c.touched;
  if (c.kind == edit::ban && rules_.fan_out_later) collected = touched_by_user(s, c);
  if (searches_roles(c.kind)) collected = with_role(s);
  u8 const touched = bumped_subjects(c, collected);
  for (u8 subject = 0; subject < max_subjects; ++subject) {
    if (((touched >> subject) & 1) == 0) continue;
    s.subject_lock[subject] = static_cast<u8>(entry + 1);
    bool const counts = bumps(c.kind);
    c.reported[subject] = counts ? bumped(s, subject) : s.truth.epoch[subject];
    if (!rules_.bump_after_commit) run_bump(s, subject, c.reported[subject]);
  }
  c.row = ++s.sequence;
  c.phase = doing::prepared;
}

void simulator::unlock(state& s, u8 entry) const {
  u8 const me = static_cast<u8>(entry + 1);
  change const& c = s.changes[entry];
  bool const shares =
      (c.kind == edit::create && rules_.creation_locks) || (c.kind == edit::grant && rules_.grant_locks);
  if (shares && c.phase == doing::prepared) --s.user_share[user];
  for (u8& lock : s.token_lock) lock = lock == me ? 0 : lock;
  for (u8& lock : s.user_lock) lock = lock == me ? 0 : lock;
  for (u8& lock : s.subject_lock) lock = lock == me ? 0 : lock;
}

void simulator::commit(state& s, u8 entry) {
  change& c = s.changes[entry];
  unlock(s, entry);
  c.phase = doing::committed;
  c.version = ++s.versions;
  c.noticed = distrusting(s);
  if (c.kind == edit::create) {
    s.truth.exists[c.target] = 1;
    s.truth.state[c.target] = usability::usable;
    s.truth.version[c.target] = c.version;
    u8& epoch = s.truth.epoch[subject_of[c.target]];
    if (epoch == 0) epoch = ++s.clock;
    s.committed[subject_of[c.target]].add(epoch);
    return;
  }
  // Even if a mutated rule collected too early, the truth has all affected tokens.
  if (c.kind == edit::ban) {
    s.truth.user_off[user] = 1;
    c.touched = touched_by_user(s, c);
  } else if (is_rotation(c.kind)) {
    rotate(s, c);
  } else if (c.kind >= edit::archive) {
    change_sessions(s, c);
  } else if (c.kind == edit::role) {
    s.truth.demoted[user] ^= 1;
  } else {
    for (u8 t = 0; t < max_tokens; ++t) {
      if (((family_of(c.target) >> t) & 1) != 0) s.truth.state[t] = wanted(c.kind);
    }
  }
  for (u8 t = 0; t < max_tokens; ++t) {
    if (((c.touched >> t) & 1) != 0) s.truth.version[t] = c.version;
  }
  auto const position = std::ranges::find_if(s.truth.rows, [](row const& r) { return r.id == 0; });
  if (position != s.truth.rows.end()) *position = {c.row, s.now, 0, c.reported};
  for (u8 subject = 0; subject < max_subjects; ++subject) {
    if (c.reported[subject] == 0) continue;
    s.truth.epoch[subject] = c.reported[subject];
    s.committed[subject].add(c.reported[subject]);
  }
}

/// The instance continues. If PostgreSQL has ended the transaction meanwhile, no client learns of the change: 503.
void simulator::wake(change& c) const {
  bool const ended = c.frozen == 2;
  c.frozen = 0;
  if (!ended) return;
  if (rules_.ended_is_noticed) c = {};
  c.phase = rules_.ended_is_noticed ? doing::done : doing::committed;
}

}  // namespace svc::model
