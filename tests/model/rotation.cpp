// Rotation of token 0: the service's own ledger of secrets on the model's truth.
#include "model/simulator.hpp"
#include "store/tokens/token_rotation.hpp"

#include <algorithm>

namespace svc::model {
namespace {

using store::live_secret;
using store::secret_ledger;
using store::secret_state;

bool of_token(u8 token) {
  return ((secrets_of_token_0 >> token) & 1) != 0;
}

bool is_in(postgres const& truth, u8 token, secret_state state) {
  return of_token(token) && truth.exists[token] != 0 && truth.secrets[token].state == u8(state);
}

u8 find(postgres const& truth, secret_state state) {
  for (u8 t = 0; t < max_tokens; ++t) {
    if (is_in(truth, t, state)) return t;
  }
  return max_tokens;
}

secret_ledger ledger_of(state const& s, records const& names, bool first_use_ends) {
  std::vector<live_secret> alive;
  for (u8 t = 0; t < max_tokens; ++t) {
    secret const& state = s.truth.secrets[t];
    if (!of_token(t) || s.truth.exists[t] == 0 || state.state == u8(secret_state::dead)) continue;
    live_secret secret{names.digest(t), static_cast<secret_state>(state.state)};
    if (state.until != 0) secret.valid_until = time_of(state.until);
    secret.ends_previous = state.ends_previous != 0 && first_use_ends;
    alive.push_back(std::move(secret));
  }
  return {std::move(alive), time_of(s.now)};
}

/// As the statements do: by state, one after another.
void write_moves(postgres& truth, secret_ledger const& ledger) {
  for (auto const& m : ledger.moves()) {
    u8 const token = find(truth, m.state);
    if (token == max_tokens) continue;
    truth.secrets[token].state = u8(m.secret_state);
    truth.secrets[token].until = m.valid_until ? static_cast<u8>(m.valid_until->micros / tick_micros) : u8{0};
  }
}

u8 next_secret(state const& s) {
  for (u8 t = first_fresh; t < max_tokens; ++t) {
    bool const unused = std::ranges::all_of(s.lost[t].bits, [](u8 b) { return b == 0; });
    if (s.truth.exists[t] == 0 && unused) return t;
  }
  return max_tokens;
}

}  // namespace

bool simulator::may_rotate(state const& s) const {
  bool const good = s.truth.exists[0] != 0 && s.truth.state[0] == usability::usable && s.truth.user_off[0] == 0;
  return good && next_secret(s) != max_tokens && s.token_lock[0] == 0 && s.subject_lock[0] == 0;
}

/// Chooses the new secret; a client that has a pending one uses that for the request.
void simulator::choose_secrets(state const& s, change& c) const {
  c.fresh = next_secret(s);
  c.touched = static_cast<u8>(c.touched | (1 << c.fresh));
  u8 const pending = find(s.truth, secret_state::pending);
  c.presented = pending == max_tokens ? u8{0} : static_cast<u8>(pending + 1);
}

void simulator::rotate(state& s, change const& c) {
  tally_.add(counted::rotated);
  postgres const before = s.truth;
  secret_ledger ledger = ledger_of(s, records_, rules_.first_use_ends);
  // Not always, so that unused secrets are rotated away as well.
  bool const presented = c.presented != 0 && c.worker != 0;
  u8 used = find(s.truth, secret_state::current);
  if (presented && rules_.rotation_confirms) ledger.confirm(records_.digest(static_cast<u8>(c.presented - 1)));
  if (presented) used = static_cast<u8>(c.presented - 1);
  bool const at_once = c.kind == edit::rotate_at_once;
  u8 const end = static_cast<u8>(s.now + (at_once ? 0 : grace));
  ledger.rotate(time_of(end));
  write_moves(s.truth, ledger);
  bool const is_used = used != max_tokens;
  if (is_used && !rules_.rotation_spares_used) s.truth.secrets[used].state = u8(secret_state::dead);
  if (is_used && !rules_.rotation_keeps_ends) s.truth.secrets[used].until = end;
  s.truth.exists[c.fresh] = 1;
  s.truth.state[c.fresh] = usability::usable;
  s.truth.secrets[c.fresh] = {u8(secret_state::pending), 0, static_cast<u8>(c.kind == edit::rotate_first_use)};
  check_secrets(before, s.truth);
  if (at_once || !is_used) return;
  bool const had_ended = before.secrets[used].until != 0 && before.secrets[used].until <= s.now;
  if (!had_ended && is_in(s.truth, used, secret_state::dead)) broken(used_ends);
}

bool simulator::confirm_secret(state& s, u8 token) {
  postgres const before = s.truth;
  secret_ledger ledger = ledger_of(s, records_, rules_.first_use_ends);
  bool const first = ledger.confirm(records_.digest(token));
  write_moves(s.truth, ledger);
  if (!first && !rules_.confirm_only_pending) s.truth.secrets[token].state = u8(secret_state::current);
  check_secrets(before, s.truth);
  bool const ends_others = first && before.secrets[token].ends_previous != 0;
  for (u8 t = 0; t < max_tokens && ends_others; ++t) {
    if (t != token && of_token(t) && s.truth.exists[t] != 0 && !is_in(s.truth, t, secret_state::dead))
      broken(old_goes_on);
  }
  return first;
}

void simulator::check_secrets(postgres const& before, postgres const& after) {
  for (u8 t = 0; t < max_tokens; ++t) {
    if (is_in(after, t, secret_state::dead)) continue;
    if (is_in(before, t, secret_state::dead)) broken(lives_again);
    u8 const was = before.secrets[t].until, condition = after.secrets[t].until;
    if (was != 0 && (condition == 0 || condition > was)) broken(lives_again);
  }
}

}  // namespace svc::model
