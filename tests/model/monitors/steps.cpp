#include "model/monitors/steps.hpp"

#include "model/monitors/rows.hpp"

#include <algorithm>

namespace svc::model::monitors {
namespace {

constexpr u8 user_lock = 3;

u8 lock_of(u8 owner) {
  return static_cast<u8>(owner + 1);
}

/// Returns true if another worker's transaction has locked this location's row, to write it or to decide on it.
bool is_row_locked(state const& s, worker const& agent, u8 location, rules const& rules) {
  return std::ranges::any_of(s.workers, [&](worker const& w) {
    if (&w == &agent) return false;
    if (w.phase != doing::counted && w.phase != doing::decided) return false;
    return rules.decision_locks_results || (w.outcome != 0 && w.location == location);
  });
}

void unlock(state& s, u8 holder) {
  if (s.locked_by == holder) s.locked_by = 0;
}

/// Ends the work of a worker. It keeps its knowledge of slots.
void rest(worker& w) {
  auto const probed = w.probed;
  auto const memory = w.memory;
  w = {};
  w.probed = probed;
  w.memory = memory;
}

void roll_back(state& s, u8 owner) {
  unlock(s, lock_of(owner));
  rest(s.workers[owner]);
}

/// Makes the row that follows from a result. Returns false if the result does not count.
bool make_row(database const& rows, worker const& w, world const& where, rules const& rules, check_row& out) {
  auto const& m = rows.monitor;
  if (w.requested != 0 && m.asked == 0) return false;
  if (rules.count_once && w.requested == 0 && w.slot <= out.last_slot) return false;
  if (rules.count_checks_version && w.version != m.version) return false;
  auto const source = !rules.count_from_row ? w.memory[w.location] : out.version == m.version ? out.state : kept{};
  out.version = rules.count_checks_version ? m.version : w.version;
  if (w.requested == 0) out.last_slot = std::max(out.last_slot, w.slot);
  out.state = next_state(source, w.outcome, w.began, where, open_outage(rows) != nullptr);
  return true;
}

bool is_enough(database const& rows, check_row const& before, check_row const& after, rules const& rules) {
  if (!rules.count_alone_only_if_agreed) return before.state.says == after.state.says;
  auto const old = before.version == after.version ? as_location(before.state) : alerting::location_state{};
  return !alerting::must_decide(static_cast<alerting::verdict>(rows.monitor.verdict), old, as_location(after.state));
}

/// Notes, outside of all programs, that a result counts now.
char const* note_counted(state& s, worker const& w, world const& where) {
  auto const& m = s.rows.monitor;
  auto const l = w.location;
  if (w.version != m.version) return no_old;
  if (w.requested == 0) {
    if ((s.slots[l] >> w.slot & 1) != 0) return once;
    s.slots[l] = static_cast<u8>(s.slots[l] | 1 << w.slot);
  }
  auto const record = s.truth_version[l] == m.version ? s.truth[l] : kept{};
  s.truth[l] = next_state(record, w.outcome, w.began, where, open_outage(s.rows) != nullptr);
  s.truth_version[l] = m.version;
  s.seen_version = m.version;
  return nullptr;
}

char const* count_alone(state& s, u8 owner, world const& where, rules const& rules) {
  auto& w = s.workers[owner];
  auto row = s.rows.checks[w.location];
  auto const before = row;
  if (!make_row(s.rows, w, where, rules, row)) {
    rest(w);
    return nullptr;
  }
  bool const enough = is_enough(s.rows, before, row, rules);
  if (!enough && rules.count_with_decision) return nullptr;  // `lock` does it instead.
  auto const* broken = note_counted(s, w, where);
  s.rows.checks[w.location] = row;
  w.memory[w.location] = rules.count_from_row ? kept{} : row.state;
  rest(w);
  if (!enough) w.phase = doing::owing;
  return broken;
}

/// Returns true if `count` would have all effects of the result.
bool may_count_alone(state const& s, u8 owner, world const& where, rules const& rules) {
  auto const& w = s.workers[owner];
  if (w.outcome == 0 || w.requested != 0 || is_row_locked(s, w, w.location, rules)) return false;
  auto row = s.rows.checks[w.location];
  auto const before = row;
  if (!make_row(s.rows, w, where, rules, row) || !rules.count_with_decision) return true;
  return is_enough(s.rows, before, row, rules);
}

char const* commit_worker(state& s, u8 owner, world const& where, rules const& rules, bool heard) {
  auto& w = s.workers[owner];
  auto const location = w.outcome == 0 ? max_locations : w.location;
  auto const* broken = w.outcome == 0 ? nullptr : note_counted(s, w, where);
  commit(s.rows, w.draft, location, false);
  unlock(s, lock_of(owner));
  if (w.outcome != 0 && !rules.count_from_row) w.memory[location] = w.draft.checks[location].state;
  w.draft = {};
  if (heard) {
    rest(w);
  } else {
    w.phase = doing::holding;  // it tries again
  }
  return broken;
}

/// Each statement sees everything that was committed before it.
void read_checks(database& draft, state const& s, worker const& w) {
  for (u8 l = 0; l < max_locations; ++l) {
    if (w.phase == doing::locked || w.outcome == 0 || l != w.location) draft.checks[l] = s.rows.checks[l];
  }
  draft.window = s.rows.window;
  draft.parent = s.rows.parent;
}

char const* advance_worker(state& s, u8 owner, world const& where, rules const& rules, bool heard) {
  auto& w = s.workers[owner];
  if (w.phase == doing::decided) return commit_worker(s, owner, where, rules, heard);
  if (w.phase == doing::locked) {
    read_checks(w.draft, s, w);
    if (w.outcome != 0 && !make_row(w.draft, w, where, rules, w.draft.checks[w.location])) {
      roll_back(s, owner);
    } else {
      w.phase = doing::counted;
      if (w.requested != 0) w.draft.monitor.asked = 0;
    }
    return nullptr;
  }
  read_checks(w.draft, s, w);
  auto const before = w.draft;
  run_decision(w.draft, s.now, s.ids, where, rules);
  w.phase = doing::decided;
  return evaluate_decision(before, w.draft, s.now, s.hold_over, where);
}

void begin(state& s, u8 owner, rules const& rules) {
  auto& w = s.workers[owner];
  if (rules.decision_locks) s.locked_by = lock_of(owner);
  w.phase = doing::locked;
  w.draft = s.rows;
}

void advance_user(state& s, world const& where, rules const& rules) {
  auto& u = s.user;
  auto const content = where.edits[u.next];
  if (u.phase == doing::idle) {
    if (rules.edit_locks) s.locked_by = user_lock;
    u.draft = s.rows;
    u.phase = doing::locked;
  } else if (u.phase == doing::locked) {
    // An UPDATE locks by itself, but the open outage and period were read before.
    s.locked_by = user_lock;
    if (u.half == 0) set(u.draft, content, s.now, where, rules);
    if (u.half != 0 || rules.edit_ends_outage) end_what_is_open(u.draft, content, s.now, where, rules);
    u.phase = doing::decided;
  } else {
    commit(s.rows, u.draft, max_locations, true);
    unlock(s, user_lock);
    u.half = static_cast<u8>(u.half == 0 && !rules.edit_ends_outage ? 1 : 0);
    u.next = static_cast<u8>(u.next + (u.half == 0 ? 1 : 0));
    u.draft = {};
    u.phase = doing::idle;
  }
}

void crash_user(state& s) {
  auto& u = s.user;
  unlock(s, user_lock);
  u.draft = {};
  // A user repeats an edit that was not committed; the second half of a committed edit is lost.
  u.next = static_cast<u8>(u.next + u.half);
  u.half = 0;
  u.phase = doing::idle;
}

bool is_due(state const& s) {
  return s.rows.monitor.live != 0 && s.rows.monitor.look_at != 0 && s.rows.monitor.look_at <= s.now + 1;
}

void add_looks(state const& s, u8 owner, world const& where, rules const& rules, std::vector<step>& out) {
  using enum step::step_kind;
  bool const free = s.locked_by == 0 || !rules.decision_locks;
  if (free && (where.looks || (where.due && is_due(s)))) out.push_back({look, owner});
  bool const is_asked = s.rows.monitor.asked != 0 && s.rows.monitor.live != 0 && s.now <= where.ticks;
  bool const is_made = std::ranges::any_of(s.workers, [](worker const& w) { return w.requested != 0; });
  if (!is_asked || is_made) return;
  for (char const c : where.outcomes) out.push_back({step::step_kind::asked, owner, 0, static_cast<u8>(c)});
}

/// Returns true if the parent's transaction finds the monitor down, and its row is not locked. It waits for nobody.
bool sees_child(state const& s) {
  return s.rows.monitor.verdict == static_cast<u8>(alerting::verdict::down) && s.locked_by == 0;
}

/// A parent is checked once in each tick.
void add_parent_steps(state const& s, world const& where, std::vector<step>& out) {
  if (s.rows.parent.there == 0 || s.rows.parent.seen > s.now) return;
  for (char const c : where.parent) out.push_back({step::step_kind::parent, 0, 0, static_cast<u8>(c)});
}

/// Notes, outside of all programs, the end of the newest hold.
void note_hold(state& s, bool was_held) {
  if (is_held(s.rows, s.now)) {
    s.hold_over = static_cast<u8>(s.now + 2);
  } else if (was_held) {
    s.hold_over = static_cast<u8>(s.now + 1);
  }
}

void add_worker_steps(state const& s, u8 owner, world const& where, rules const& rules, std::vector<step>& out) {
  auto const& w = s.workers[owner];
  auto const slot = static_cast<u8>(s.now + 1);
  bool const free = s.locked_by == 0 || !rules.decision_locks;
  using enum step::step_kind;
  switch (w.phase) {
    case doing::idle:
      for (u8 l = 0; l < where.locations && s.now <= where.ticks && s.rows.monitor.live != 0; ++l) {
        if (w.probed[l] >= slot) continue;
        for (char const c : where.outcomes) out.push_back({probe, owner, l, static_cast<u8>(c)});
      }
      add_looks(s, owner, where, rules, out);
      return;
    case doing::owing:
    case doing::holding:
      if (w.phase == doing::holding && may_count_alone(s, owner, where, rules)) {
        out.push_back({count, owner});
      } else if (free) {
        out.push_back({lock, owner});
      }
      break;
    case doing::locked:
      // Its next statement waits for the rows of votes.
      if (!is_row_locked(s, w, w.location, rules)) out.push_back({go_on, owner});
      break;
    case doing::decided:
      if (s.crashes > 0 && w.outcome != 0) out.push_back({unheard, owner});
      [[fallthrough]];
    default:
      out.push_back({go_on, owner});
  }
  if (s.crashes > 0) out.push_back({crash, owner});
}

}  // namespace

state initial(world const& where) {
  state s{};
  s.crashes = where.crashes;
  auto& m = s.rows.monitor;
  m.live = m.version = 1;
  m.muted_until = where.muted_until;
  m.providers = where.providers;
  s.rows.window = {where.window_start, where.window_end};
  s.rows.parent.there = where.parent.empty() ? 0 : 1;
  // A monitor that nobody checks is in error after three intervals.
  if (where.due) m.look_at = 4;
  return s;
}

void add_steps(state const& s, world const& where, rules const& rules, std::vector<step>& out) {
  using enum step::step_kind;
  if (s.now < where.ticks) out.push_back({tick});
  for (u8 owner = 0; owner < where.workers; ++owner) add_worker_steps(s, owner, where, rules, out);
  add_parent_steps(s, where, out);
  if (s.user.next == where.edits.size()) return;
  bool const waits =
      s.user.phase == doing::idle ? rules.edit_locks : s.user.phase == doing::locked && !rules.edit_locks;
  if (!waits || s.locked_by == 0) out.push_back({edit});
  bool const in_work = s.user.phase != doing::idle || s.user.half != 0;
  if (s.crashes > 0 && in_work) out.push_back({crash, worker_count});
}

char const* apply(state& s, step next, world const& where, rules const& rules) {
  char const* broken = nullptr;
  auto& w = s.workers[next.owner % worker_count];
  bool const was_held = is_held(s.rows, s.now);
  switch (next.kind) {
    case step::step_kind::tick:
      ++s.now;
      break;
    case step::step_kind::probe:
      w.probed[next.location] = static_cast<u8>(s.now + 1);
      w.phase = doing::holding;
      w.location = next.location;
      w.slot = static_cast<u8>(s.now + 1);
      w.version = s.rows.monitor.version;
      w.outcome = next.outcome;
      w.began = s.now;
      break;
    case step::step_kind::asked:
      w.phase = doing::holding;
      w.requested = 1;
      w.version = s.rows.monitor.version;
      w.outcome = next.outcome;
      w.began = s.now;
      break;
    case step::step_kind::parent:
      s.parent_unseen = sees_child(s) ? u8{0} : static_cast<u8>(s.now + 1);
      check_parent(s.rows, next.outcome, s.now, sees_child(s), where, rules);
      break;
    case step::step_kind::look:
    case step::step_kind::lock:
      begin(s, next.owner, rules);
      break;
    case step::step_kind::count:
      broken = count_alone(s, next.owner, where, rules);
      break;
    case step::step_kind::go_on:
      broken = advance_worker(s, next.owner, where, rules, true);
      break;
    case step::step_kind::unheard:
      --s.crashes;
      broken = advance_worker(s, next.owner, where, rules, false);
      break;
    case step::step_kind::crash:
      --s.crashes;
      if (next.owner == worker_count) {
        crash_user(s);
      } else {
        roll_back(s, next.owner);
      }
      break;
    case step::step_kind::edit:
      advance_user(s, where, rules);
      break;
  }
  note_hold(s, was_held);
  if (broken == nullptr) broken = evaluate(s, where);
  bool const quiet = std::ranges::all_of(s.workers, [](worker const& each) { return each.phase == doing::idle; }) &&
                     s.user.phase == doing::idle && s.user.half == 0;
  return broken == nullptr && quiet ? evaluate_quiet(s, where) : broken;
}

}  // namespace svc::model::monitors
