#include "model/monitors/steps.hpp"

#include "model/monitors/rows.hpp"

#include <algorithm>

namespace svc::model::monitors {
namespace {

constexpr u8 user_lock = 3;

u8 lock_of(u8 who) {
  return static_cast<u8>(who + 1);
}

/// Whether another one's transaction has locked this location's row: to write it, or to decide on it.
bool is_row_locked(state const& s, worker const& by, u8 location, rules const& with) {
  return std::ranges::any_of(s.workers, [&](worker const& w) {
    if (&w == &by) return false;
    if (w.phase != doing::counted && w.phase != doing::decided) return false;
    return with.decision_locks_votes || (w.outcome != 0 && w.location == location);
  });
}

void unlock(state& s, u8 holder) {
  if (s.locked_by == holder) s.locked_by = 0;
}

/// Ends what the worker does; what it knows of slots stays.
void rest(worker& w) {
  auto const probed = w.probed;
  auto const memory = w.memory;
  w = {};
  w.probed = probed;
  w.memory = memory;
}

void roll_back(state& s, u8 who) {
  unlock(s, lock_of(who));
  rest(s.workers[who]);
}

/// The row that a result makes, or nothing if it does not count.
bool make_row(database const& rows, worker const& w, world const& where, rules const& with, check_row& out) {
  auto const& m = rows.monitor;
  if (with.count_once && w.slot <= out.last_slot) return false;
  if (with.count_checks_version && w.version != m.version) return false;
  auto const from = !with.count_from_row ? w.memory[w.location] : out.version == m.version ? out.state : kept{};
  out.version = with.count_checks_version ? m.version : w.version;
  out.last_slot = std::max(out.last_slot, w.slot);
  out.state = next_state(from, w.outcome, w.began, where, open_outage(rows) != nullptr);
  return true;
}

bool is_enough(database const& rows, check_row const& before, check_row const& after, rules const& with) {
  if (!with.count_alone_only_if_agreed) return before.state.says == after.state.says;
  auto const old = before.version == after.version ? as_location(before.state) : alerting::location_state{};
  return !alerting::must_decide(static_cast<alerting::verdict>(rows.monitor.verdict), old, as_location(after.state));
}

/// Notes, apart from all programs, that a result counts now.
char const* note_counted(state& s, worker const& w, world const& where) {
  auto const& m = s.rows.monitor;
  auto const l = w.location;
  if (w.version != m.version) return no_old;
  if ((s.slots[l] >> w.slot & 1) != 0) return once;
  s.slots[l] = static_cast<u8>(s.slots[l] | 1 << w.slot);
  auto const from = s.truth_version[l] == m.version ? s.truth[l] : kept{};
  s.truth[l] = next_state(from, w.outcome, w.began, where, open_outage(s.rows) != nullptr);
  s.truth_version[l] = m.version;
  s.seen_version = m.version;
  return nullptr;
}

char const* count_alone(state& s, u8 who, world const& where, rules const& with) {
  auto& w = s.workers[who];
  auto row = s.rows.checks[w.location];
  auto const before = row;
  if (!make_row(s.rows, w, where, with, row)) {
    rest(w);
    return nullptr;
  }
  bool const enough = is_enough(s.rows, before, row, with);
  if (!enough && with.count_with_decision) return nullptr;  // by `lock`, instead
  auto const* broken = note_counted(s, w, where);
  s.rows.checks[w.location] = row;
  w.memory[w.location] = with.count_from_row ? kept{} : row.state;
  rest(w);
  if (!enough) w.phase = doing::owing;
  return broken;
}

/// Whether `count` would do all there is to do.
bool may_count_alone(state const& s, u8 who, world const& where, rules const& with) {
  auto const& w = s.workers[who];
  if (w.outcome == 0 || is_row_locked(s, w, w.location, with)) return false;
  auto row = s.rows.checks[w.location];
  auto const before = row;
  if (!make_row(s.rows, w, where, with, row) || !with.count_with_decision) return true;
  return is_enough(s.rows, before, row, with);
}

char const* commit_worker(state& s, u8 who, world const& where, rules const& with, bool heard) {
  auto& w = s.workers[who];
  auto const location = w.outcome == 0 ? max_locations : w.location;
  auto const* broken = w.outcome == 0 ? nullptr : note_counted(s, w, where);
  commit(s.rows, w.draft, location, false);
  unlock(s, lock_of(who));
  if (w.outcome != 0 && !with.count_from_row) w.memory[location] = w.draft.checks[location].state;
  w.draft = {};
  if (heard) {
    rest(w);
  } else {
    w.phase = doing::holding;  // it tries again
  }
  return broken;
}

/// Each statement sees what was committed before it.
void read_checks(database& draft, state const& s, worker const& w) {
  for (u8 l = 0; l < max_locations; ++l) {
    if (w.phase == doing::locked || w.outcome == 0 || l != w.location) draft.checks[l] = s.rows.checks[l];
  }
}

char const* advance_worker(state& s, u8 who, world const& where, rules const& with, bool heard) {
  auto& w = s.workers[who];
  if (w.phase == doing::decided) return commit_worker(s, who, where, with, heard);
  if (w.phase == doing::locked) {
    read_checks(w.draft, s, w);
    if (w.outcome != 0 && !make_row(w.draft, w, where, with, w.draft.checks[w.location])) {
      roll_back(s, who);
    } else {
      w.phase = doing::counted;
    }
    return nullptr;
  }
  read_checks(w.draft, s, w);
  run_decision(w.draft, s.now, s.ids, where, with);
  w.phase = doing::decided;
  return judge_decision(w.draft, s.now);
}

void begin(state& s, u8 who, rules const& with) {
  auto& w = s.workers[who];
  if (with.decision_locks) s.locked_by = lock_of(who);
  w.phase = doing::locked;
  w.draft = s.rows;
}

void advance_user(state& s, world const& where, rules const& with) {
  auto& u = s.user;
  auto const what = where.edits[u.next];
  if (u.phase == doing::idle) {
    if (with.edit_locks) s.locked_by = user_lock;
    u.draft = s.rows;
    u.phase = doing::locked;
  } else if (u.phase == doing::locked) {
    // An UPDATE locks by itself, though what it ends was read before.
    s.locked_by = user_lock;
    if (u.half == 0) set(u.draft, what, s.now, with);
    if (u.half != 0 || with.edit_ends_outage) end_what_is_open(u.draft, what, s.now, where, with);
    u.phase = doing::decided;
  } else {
    commit(s.rows, u.draft, max_locations, true);
    unlock(s, user_lock);
    u.half = static_cast<u8>(u.half == 0 && !with.edit_ends_outage ? 1 : 0);
    u.next = static_cast<u8>(u.next + (u.half == 0 ? 1 : 0));
    u.draft = {};
    u.phase = doing::idle;
  }
}

void crash_user(state& s) {
  auto& u = s.user;
  unlock(s, user_lock);
  u.draft = {};
  // What was not committed is asked for again; the second half of what was is forgotten.
  u.next = static_cast<u8>(u.next + u.half);
  u.half = 0;
  u.phase = doing::idle;
}

void add_worker_steps(state const& s, u8 who, world const& where, rules const& with, std::vector<step>& out) {
  auto const& w = s.workers[who];
  auto const slot = static_cast<u8>(s.now + 1);
  bool const free = s.locked_by == 0 || !with.decision_locks;
  using enum step::what;
  switch (w.phase) {
    case doing::idle:
      for (u8 l = 0; l < where.locations && s.now <= where.ticks && s.rows.monitor.live != 0; ++l) {
        if (w.probed[l] >= slot) continue;
        for (char const c : where.outcomes) out.push_back({probe, who, l, static_cast<u8>(c)});
      }
      if (where.looks && free) out.push_back({look, who});
      return;
    case doing::owing:
    case doing::holding:
      if (w.phase == doing::holding && may_count_alone(s, who, where, with)) {
        out.push_back({count, who});
      } else if (free) {
        out.push_back({lock, who});
      }
      break;
    case doing::locked:
      // Its next statement waits for the rows of votes.
      if (!is_row_locked(s, w, w.location, with)) out.push_back({go_on, who});
      break;
    case doing::decided:
      if (s.crashes > 0 && w.outcome != 0) out.push_back({unheard, who});
      [[fallthrough]];
    default:
      out.push_back({go_on, who});
  }
  if (s.crashes > 0) out.push_back({crash, who});
}

}  // namespace

state initial(world const& where) {
  state s{};
  s.crashes = where.crashes;
  auto& m = s.rows.monitor;
  m.live = m.version = 1;
  m.muted_until = where.muted_until;
  m.providers = where.providers;
  return s;
}

void add_steps(state const& s, world const& where, rules const& with, std::vector<step>& out) {
  using enum step::what;
  if (s.now < where.ticks) out.push_back({tick});
  for (u8 who = 0; who < worker_count; ++who) add_worker_steps(s, who, where, with, out);
  if (s.user.next == where.edits.size()) return;
  bool const waits =
      s.user.phase == doing::idle ? with.edit_locks : s.user.phase == doing::locked && !with.edit_locks;
  if (!waits || s.locked_by == 0) out.push_back({edit});
  bool const in_work = s.user.phase != doing::idle || s.user.half != 0;
  if (s.crashes > 0 && in_work) out.push_back({crash, worker_count});
}

char const* apply(state& s, step next, world const& where, rules const& with) {
  char const* broken = nullptr;
  auto& w = s.workers[next.who % worker_count];
  switch (next.kind) {
    case step::what::tick:
      ++s.now;
      break;
    case step::what::probe:
      w.probed[next.location] = static_cast<u8>(s.now + 1);
      w.phase = doing::holding;
      w.location = next.location;
      w.slot = static_cast<u8>(s.now + 1);
      w.version = s.rows.monitor.version;
      w.outcome = next.outcome;
      w.began = s.now;
      break;
    case step::what::look:
    case step::what::lock:
      begin(s, next.who, with);
      break;
    case step::what::count:
      broken = count_alone(s, next.who, where, with);
      break;
    case step::what::go_on:
      broken = advance_worker(s, next.who, where, with, true);
      break;
    case step::what::unheard:
      --s.crashes;
      broken = advance_worker(s, next.who, where, with, false);
      break;
    case step::what::crash:
      --s.crashes;
      if (next.who == worker_count) {
        crash_user(s);
      } else {
        roll_back(s, next.who);
      }
      break;
    case step::what::edit:
      advance_user(s, where, with);
      break;
  }
  if (broken == nullptr) broken = judge(s, where);
  bool const quiet = std::ranges::all_of(s.workers, [](worker const& each) { return each.phase == doing::idle; }) &&
                     s.user.phase == doing::idle && s.user.half == 0;
  return broken == nullptr && quiet ? judge_quiet(s, where) : broken;
}

}  // namespace svc::model::monitors
