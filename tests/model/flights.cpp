// Single flights of auth reads, as in src/access/read_batches.cpp: sending, taking the snapshot and the arrival of
// the result are three steps.
#include "model/simulator.hpp"
#include "store/tokens/token_rotation.hpp"

namespace svc::model {
namespace {

using access::decision;

bool waits(request const& q) {
  return q.phase == going::act || q.phase == going::reply || q.phase == going::reading;
}

}  // namespace

/// A statement that reads for several tokens requires no step of its own: its snapshot is taken at some time after
/// `sent`, and each read counts as begun when it was requested, never when the statement that it shares was.
/// Returns the index of the new flight; negative when there is no free one, or when it is not needed.
int simulator::launch(state& s, u8 worker, u8 token, bool background) {
  flight* free = nullptr;
  for (flight& f : s.flights) {
    if (f.phase == air::free) {
      if (free == nullptr) free = &f;
    } else if (f.worker == worker && f.token == token && f.latest != 0) {
      if (background) return -1;
    }
  }
  if (free == nullptr) return -1;
  for (flight& f : s.flights) {
    if (f.worker == worker && f.token == token) f.latest = 0;
  }
  *free = {};
  free->phase = air::sent;
  free->worker = worker;
  free->token = token;
  free->latest = 1;
  free->background = background ? 1 : 0;
  for (u8 r = 0; r < max_requests; ++r) {
    if (waits(s.requests[r])) free->sent_after = static_cast<u8>(free->sent_after | (1 << r));
  }
  return static_cast<int>(free - s.flights.data());
}

/// Joins the latest flight if it was sent late enough, otherwise starts one.
void simulator::start_read(state& s, u8 r) {
  request& q = s.requests[r];
  auto const mode = static_cast<epoch_mode>(q.mode);
  u8 const me = static_cast<u8>(1 << r);
  ++q.reads;
  q.publish = 1;
  q.in_memory = 0;
  q.phase = going::reading;
  for (flight& f : s.flights) {
    if (f.phase == air::free || f.worker != q.worker || f.token != q.token || f.latest == 0) continue;
    if (mode == epoch_mode::fresh && !rules_.joined_as_asked) f.sent_after |= me;
    if (mode == epoch_mode::cached || (mode == epoch_mode::fresh && (f.sent_after & me) != 0)) {
      f.waiters |= me;
      tally_.add(counted::joined);
      return;
    }
  }
  int const mine = launch(s, q.worker, q.token, false);
  if (mine >= 0) {
    s.flights[static_cast<std::size_t>(mine)].waiters = me;
    s.flights[static_cast<std::size_t>(mine)].sent_after |= me;
    return;
  }
  notify(q, {heard::read, static_cast<u8>(decision::read_outcome::failed), 0, 0, {}});
  advance(s, r);
}

record simulator::auth_read(state const& s, u8 token) const {
  if (s.truth.exists[token] == 0) return {};
  bool const idle = token == 0 && where_.idle_at != 0 && s.now >= where_.idle_at && rules_.read_checks_idle;
  bool const refused = ((s.truth.refused >> token) & 1) != 0 || idle;
  usability const own = refused ? usability::revoked : s.truth.state[token];
  usability const seen = own == usability::usable && s.truth.user_off[0] != 0 ? usability::owner_disabled : own;
  secret const& secret = s.truth.secrets[token];
  bool const dead = secret.state == u8(store::secret_state::dead);
  bool const pending = secret.state == u8(store::secret_state::pending);
  bool const demoted = subject_of[token] == 0 && s.truth.demoted[0] != 0;
  return {stored::record,
          token,
          seen != usability::revoked && dead ? usability::rotated : seen,
          s.truth.epoch[subject_of[token]],
          s.truth.version[token],
          s.now,
          static_cast<u8>((pending ? pending_secret : 0) | (demoted ? viewer : 0)),
          secret.until};
}

void simulator::snapshot(state& s, flight& f) {
  f.phase = air::read;
  f.result = auth_read(s, f.token);
  for (u8 r = 0; r < max_requests; ++r) {
    if (waits(s.requests[r])) f.read_after = static_cast<u8>(f.read_after | (1 << r));
  }
}

void simulator::complete(state& s, u8 entry, bool failed) {
  flight f = s.flights[entry];
  s.flights[entry] = {};
  bool const found = f.result.stored == stored::record && !failed;
  if (found && !rules_.one_snapshot) f.result.epoch = s.truth.epoch[subject_of[f.token]];
  if (f.background != 0 && found) {
    records_.with_memory(s.workers[f.worker], s.now, [&](access::record_cache& memory) {
      memory.keep(records_.digest(f.token), {records_.real(f.result), true});
    });
  }
  auto const outcome = failed  ? decision::read_outcome::failed
                       : found ? decision::read_outcome::record
                               : decision::read_outcome::unknown;
  for (u8 r = 0; r < max_requests; ++r) {
    if (((f.waiters >> r) & 1) == 0) continue;
    request& q = s.requests[r];
    u8 const sent_after = (f.sent_after >> r) & 1;
    q.read_after = (f.read_after >> r) & 1;
    if (outcome == decision::read_outcome::unknown && sent_after == 0) {
      q.joined_unknown = 1;
      tally_.add(counted::revalidated);
    }
    notify(q, {heard::read, static_cast<u8>(outcome), 0, sent_after, found ? f.result : record{}});
  }
  // All are notified before any of them continues: one that starts another read includes the others.
  for (u8 r = 0; r < max_requests; ++r) {
    if (((f.waiters >> r) & 1) != 0) advance(s, r);
  }
}

}  // namespace svc::model
