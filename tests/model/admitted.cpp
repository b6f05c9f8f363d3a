// The steps of a request after its admission, as in src/api/pipeline.cpp: confirm a new secret, notify Redis, write,
// answer.
#include "model/simulator.hpp"
#include "store/tokens/token_rotation.hpp"

#include <algorithm>

namespace svc::model {

using store::secret_state;

void simulator::go_on(state& s, u8 r, request const& q, record const& used) {
  request& me = s.requests[r];
  // The record authorised the request, and a 403 confirms nothing.
  if (q.writes != 0 && (used.marks & viewer) != 0) return;
  bool const pending = (used.marks & pending_secret) != 0;
  if (!pending && q.writes == 0) return;
  me.worker = q.worker;
  me.token = q.token;
  me.writes = q.writes;
  me.epoch = used.epoch;
  me.with_pending = pending ? 1 : 0;
  me.phase = pending && rules_.confirm_before_answer ? going::confirming : going::writing;
  if (me.phase == going::writing && me.writes == 0) answer(s, me);
}

/// One transaction under the token's lock; without PostgreSQL the request passes, and the next use confirms.
void simulator::confirm(state& s, request& q, fate fate) {
  q.phase = going::writing;
  auto const row = std::ranges::find_if(s.truth.rows, [](model::row const& entry) { return entry.id == 0; });
  auto const open = std::ranges::count_if(s.changes, [](change const& o) {
    return o.phase == doing::started || o.phase == doing::locked || o.phase == doing::prepared;
  });
  auto const free = std::ranges::count_if(s.truth.rows, [](model::row const& element) { return element.id == 0; });
  // The outbox of this model has few rows.
  if (fate == fate::lost || free <= open) {
    tally_.add(counted::unconfirmed);
    q.with_pending = 0;
    if (q.writes == 0) answer(s, q);
    return;
  }
  bool const first = confirm_secret(s, q.token);
  tally_.add(first ? counted::confirmed : counted::not_first);
  if (first && rules_.confirm_bumps) {
    s.truth.epoch[0] = bumped(s, 0);
    s.committed[0].add(s.truth.epoch[0]);
    *row = {++s.sequence, s.now, 0, {s.truth.epoch[0]}};
  }
  if (first) {
    u8 const version = ++s.versions;
    for (u8 t = 0; t < max_tokens; ++t) {
      if (((secrets_of_token_0 >> t) & 1) != 0 && s.truth.exists[t] != 0) s.truth.version[t] = version;
    }
  }
  if (fate == fate::unheard) {
    if (q.writes == 0) answer(s, q);
    return;
  }
  q.known_version = s.truth.version[q.token];
  q.notifies = s.truth.epoch[0];
  if (first || rules_.everyone_bumps) {
    q.phase = going::telling;
    q.noticed = distrusting(s);
  } else if (q.writes == 0) {
    answer(s, q);
  }
}

void simulator::note_confirmation(state& s, request& q, fate fate) {
  std::vector<subject_epoch> const touched{{records::subject(0), s.truth.epoch[0]}};
  records_.with_memory(s.workers[q.worker], s.now, [&](access::record_cache& memory) { memory.invalidate(touched); });
  if (fate == fate::done || fate == fate::unheard) {
    if (q.notifies != 0) run_bump(s, 0, q.notifies);
    // The worker tries again, or waits.
    if (fate == fate::unheard) return;
  } else {
    tally_.add(counted::held_confirmation);
    if (lost_again(s, 0, q.notifies)) q.known_version = 0;
    q.notifies = 0;
  }
  q.phase = going::writing;
  if (q.writes == 0) answer(s, q);
}

/// Rule 8: the statement checks in its own snapshot whether its writer may still write.
void simulator::write(state& s, request& q) {
  record const now = auth_read(s, q.token);
  bool const lives = now.stored == stored::record && now.state == usability::usable;
  bool const may = lives && (now.marks & viewer) == 0;
  bool const same = now.stored == stored::record && now.epoch == q.epoch;
  bool allowed = same || (rules_.recheck_looks_twice && (rules_.recheck_asks_role ? may : lives));
  bool const rotated = now.stored == stored::record && now.state == usability::rotated;
  if (rotated && !rules_.recheck_asks_secret) allowed = true;
  if (now.stored != stored::record && !rules_.recheck_knows_writer) allowed = true;
  if (!rules_.recheck_writes) allowed = true;
  tally_.add(allowed ? counted::written : counted::write_refused);
  if (allowed && !may) broken(dead_write);
  if (!allowed && may) broken(good_write);
  // A refusal is a 401 or 403, which does not show that the rotation is done.
  if (!allowed) q.known_version = q.with_pending = q.notifies = 0;
  answer(s, q);
}

void simulator::answer(state& s, request& q) {
  if (q.with_pending != 0 && s.truth.secrets[q.token].state == u8(secret_state::pending)) broken(still_pending);
  if (q.notifies != 0 && s.cache.epoch[0] < q.notifies) broken(answered_early);
  for (u8 t = 0; t < max_tokens && q.known_version != 0; ++t) {
    bool const reported = ((family_of(q.token) >> t) & 1) != 0 && s.truth.exists[t] != 0;
    if (reported && !s.lost[t].has(q.known_version)) s.floor[t] = std::max(s.floor[t], q.known_version);
  }
  q = {};
  q.phase = going::done;
}

}  // namespace svc::model
