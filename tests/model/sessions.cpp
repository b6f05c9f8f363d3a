// The changes that end sessions, on the same records, epochs and outbox as tokens. Sign-out is `revoke`; a ban and a
// removed role are those of tokens.
#include "model/simulator.hpp"

#include <algorithm>

namespace svc::model {
namespace {

constexpr u8 first_user = 0, other_user = 1;
constexpr u8 oldest = 0, of_other_user = 2;
constexpr u8 all_sessions = 0b1111, by_password = 0b1100;

constexpr u8 set_of(u8 member) {
  return static_cast<u8>(1 << member);
}

}  // namespace

/// The sessions of people with a role in the project, or with a membership.
u8 simulator::with_role(state const& s) {
  u8 set = 0;
  for (u8 t = 0; t < max_tokens; ++t) {
    bool const has = s.truth.exists[t] != 0 && s.truth.state[t] != usability::disabled;
    if (has) set = static_cast<u8>(set | set_of(t));
  }
  return set;
}

/// The sessions that the change promises to end, whatever it does.
u8 simulator::ended_by(change const& c) {
  switch (c.kind) {
    case edit::archive:
      return all_sessions;
    case edit::set_policy:
      return by_password;
    case edit::set_password:
    case edit::refresh:
      return set_of(oldest);
    case edit::sign_in:
      return set_of(oldest) | set_of(of_other_user);
    default:
      return 0;
  }
}

bool simulator::may_change_sessions(state const& s, change const& c, rules const& rules) {
  bool const user_is_free =
      s.user_lock[first_user] == 0 && s.user_share[first_user] == 0 && s.subject_lock[first_user] == 0;
  switch (c.kind) {
    case edit::archive:
    case edit::set_policy:
      return true;
    case edit::grant:
      return s.truth.state[of_other_user] == usability::disabled && s.subject_lock[other_user] == 0 &&
             (s.user_lock[first_user] == 0 || !rules.grant_locks);
    case edit::set_password:
      return user_is_free;
    case edit::sign_in:
      return user_is_free && s.subject_lock[other_user] == 0;
    case edit::refresh:
      return user_is_free && s.token_lock[oldest] == 0 && s.truth.state[oldest] == usability::usable;
    default:
      return s.truth.exists[oldest] != 0 && s.truth.state[oldest] == usability::revoked;
  }
}

void simulator::prepare_sessions(state& s, u8 entry) {
  change& c = s.changes[entry];
  u8 const me = static_cast<u8>(entry + 1);
  switch (c.kind) {
    case edit::archive:
    case edit::set_policy:
      c.phase = doing::started;
      return;
    case edit::sweep:
      s.truth.exists[oldest] = 0;
      c = {};
      c.phase = doing::done;
      return;
    case edit::grant:
      c.touched = set_of(of_other_user);
      if (rules_.grant_locks) ++s.user_share[first_user];
      break;
    case edit::sign_in:
      c.touched = set_of(oldest) | set_of(of_other_user);
      s.user_lock[first_user] = me;
      break;
    default:
      c.touched = set_of(oldest);
      s.user_lock[first_user] = me;
  }
  fan_out(s, entry);
}

/// The subjects that the change bumps.
u8 simulator::bumped_subjects(change const& c, u8 collected) const {
  u8 set = c.kind == edit::role || c.kind == edit::ban ? set_of(first_user) : u8{0};
  for (u8 t = 0; t < max_tokens; ++t) {
    if (((collected >> t) & 1) != 0) set = static_cast<u8>(set | set_of(subject_of[t]));
  }
  bool const only_user = (c.kind == edit::archive && !rules_.archive_bumps_all) ||
                         (c.kind == edit::set_policy && !rules_.policy_bumps_all) ||
                         (c.kind == edit::sign_in && !rules_.sign_in_bumps_previous_user);
  return only_user ? set_of(first_user) : set;
}

/// The effect at the COMMIT.
void simulator::change_sessions(state& s, change& c) const {
  auto const end = [&](u8 session, usability state) {
    if (s.truth.state[session] == usability::usable) s.truth.state[session] = state;
  };
  switch (c.kind) {
    case edit::archive:
    case edit::set_policy:
      c.touched = with_role(s);
      s.truth.refused = static_cast<u8>(s.truth.refused | ended_by(c));
      break;
    case edit::grant:
      s.truth.state[of_other_user] = usability::usable;
      break;
    case edit::set_password:
      if (rules_.password_ends_others) end(oldest, usability::revoked);
      break;
    case edit::sign_in:
      if (rules_.sign_in_ends_oldest) end(oldest, usability::revoked);
      if (rules_.sign_in_ends_previous) end(of_other_user, usability::revoked);
      break;
    default:
      if (rules_.refresh_replaces) end(oldest, usability::rotated);
      s.truth.exists[refreshed_session] = 1;
      s.truth.state[refreshed_session] = usability::usable;
      c.touched = static_cast<u8>(c.touched | set_of(refreshed_session));
  }
}

void simulator::check_session(state const& s, request const& q) {
  if (q.ended != 0) broken(ended_session);
  bool const idle = where_.idle_at != 0 && q.token == oldest && s.now > where_.idle_at + record_age;
  if (idle) broken(idle_session);
}

}  // namespace svc::model
