// A request as src/access/gate.cpp executes it: the real decision says what to do, this does it.
#include "model/simulator.hpp"

namespace svc::model {
namespace {

using access::decision;
using access::purpose;

/// Stands in for expiry and job, too: whatever makes a record unusable is in its version.
struct refusals final : decision::refusal_policy {
  explicit refusals(u8 tick) : now(tick) {}
  std::optional<errc> refusal(token_record const& r) const override {
    if (r.valid_until && *r.valid_until <= time_of(now)) return errc::secret_rotated;
    if (r.state == token_state::usable) return std::nullopt;
    return errc::token_revoked;
  }
  u8 now;
};

u8 bit(u8 n) {
  return static_cast<u8>(1 << n);
}

}  // namespace

void simulator::notify(request& q, input input) {
  q.history.at(q.inputs++) = input;
}

void simulator::arrive(state& s, u8 r) {
  request& q = s.requests[r];
  worker& w = s.workers[q.worker];
  bool const was_quiet = quiet(s);
  u8 const others = static_cast<u8>(~bit(r));
  for (flight& f : s.flights) {
    f.sent_after &= others;
    f.read_after &= others;
  }
  q.floor = s.floor[q.token];
  q.created = s.created[q.token];
  q.ended = (s.ended >> q.token) & 1;
  q.after_rejoin = s.rejoined[q.token];
  q.clean = was_quiet && s.timeline > 0 ? 1 : 0;

  access::held_record found;
  records_.with_memory(
      w, s.now, [&](access::record_cache& memory) { found = memory.find(records_.digest(q.token), time_of(s.now)); });
  input start{heard::start, 0, 0, w.breaker_open, {}};
  if (found.record) {
    start.record = records::plain(*found.record);
    q.in_memory = 1;
    q.publish = found.unpublished ? 1 : 0;
    if (s.workers[q.worker].memory[q.token].old != 0 && w.breaker_open == 0) broken(confirmed_memory);
    bool const ageing = (s.now - start.record.read_at) * tick_micros * 5 > record_age_micros * 4;
    if (ageing && !found.unpublished && launch(s, q.worker, q.token, true) >= 0) tally_.add(counted::refreshed);
  }
  notify(q, start);
  advance(s, r);
}

/// Replays the decision from its inputs, and does what requires no store.
void simulator::advance(state& s, u8 r) {
  refusals const refusals(s.now);
  request& q = s.requests[r];
  while (true) {
    decision d(refusals, q.history[0].flag != 0, rules_.decision);
    access::action next;
    for (u8 i = 0; i < q.inputs; ++i) {
      input const& input = q.history[i];
      access::record_ptr record = input.record.stored == stored::record ? records_.real(input.record) : nullptr;
      switch (input.heard) {
        case heard::start:
          next = d.start(std::move(record));
          break;
        case heard::fetch:
          next = d.on_fetch(static_cast<decision::fetch_outcome>(input.outcome), std::move(record));
          break;
        case heard::read:
          next = d.on_read(static_cast<decision::read_outcome>(input.outcome), std::move(record), input.flag != 0);
          break;
        case heard::admit:
          next = d.on_admit(static_cast<decision::admission_outcome>(input.outcome),
                            input.epoch == 0 ? std::nullopt : std::optional<std::int64_t>(input.epoch));
          break;
        case heard::advance:
          next = d.on_advance(input.flag != 0);
          break;
        case heard::local:
          next = d.on_local(true);
          break;
      }
    }
    q.step = static_cast<u8>(next.content);
    q.about = static_cast<u8>(next.about);
    q.mode = static_cast<u8>(next.mode);
    q.epoch = static_cast<u8>(next.epoch);
    q.phase = going::act;
    if (next.content == access::step::finish) return conclude(s, r, d);
    if (next.content == access::step::read) return start_read(s, r);
    if (next.content != access::step::local) return;
    notify(q, {heard::local, 0, 0, 0, {}});
  }
}

void simulator::act(state& s, u8 r, fate fate) {
  request& q = s.requests[r];
  switch (static_cast<access::step>(q.step)) {
    case access::step::fetch:
      fetch(s, q, fate);
      return advance(s, r);
    case access::step::advance:
      advance(s, q, fate);
      return advance(s, r);
    default:
      return admit(s, q, fate);
  }
}

void simulator::fetch(state& s, request& q, fate fate) {
  record const& found = s.cache.records[q.token];
  input heard_of{heard::fetch, static_cast<u8>(decision::fetch_outcome::nothing), 0, 0, {}};
  bool const negative = (found.stored == stored::negative && found.read_at == s.now) ||
                        (found.stored == stored::marker && !rules_.marker_is_no_entry);
  if (fate != fate::done) {
    heard_of.outcome = static_cast<u8>(decision::fetch_outcome::lost);
  } else if (found.stored == stored::record && s.now - found.read_at <= record_age) {
    heard_of.outcome = static_cast<u8>(decision::fetch_outcome::record);
    heard_of.record = found;
  } else if (negative) {
    heard_of.outcome = static_cast<u8>(decision::fetch_outcome::negative);
  }
  notify(q, heard_of);
}

void simulator::admit(state& s, request& q, fate fate) {
  auto const about = static_cast<purpose>(q.about);
  bool const of_record = about == purpose::use || about == purpose::confirm;
  ++(of_record ? q.admits : q.asks);
  q.phase = going::reply;
  q.reply = static_cast<u8>(decision::admission_outcome::lost);
  u8 const subject = subject_of[q.token];
  u8 const before = s.cache.epoch[subject];
  reply out{decision::admission_outcome::lost, 0};
  if (fate == fate::later) {
    give_late(s, subject, q.epoch);
  } else if (fate != fate::lost) {
    out = run_admit(s, subject, static_cast<epoch_mode>(q.mode), q.epoch);
  }
  if (fate == fate::done) {
    q.reply = static_cast<u8>(out.verdict);
    q.reply_epoch = out.epoch;
  }
  if (of_record) q.equal = q.held = 0;
  if (of_record && fate == fate::done) {
    q.equal = before == q.epoch ? 1 : 0;
    q.held = s.cache.epoch[subject];
    if (out.verdict == decision::admission_outcome::stale) tally_.add(counted::stale);
  }
}

void simulator::advance(state& s, request& q, fate fate) {
  ++q.advances;
  tally_.add(counted::advanced);
  u8 const subject = subject_of[q.token];
  if (fate == fate::done) {
    s.truth.epoch[subject] = static_cast<u8>(std::max<int>(q.epoch + 1, ++s.clock));
    s.committed[subject].add(s.truth.epoch[subject]);
  }
  notify(q, {heard::advance, 0, 0, static_cast<u8>(fate == fate::done ? 1 : 0), {}});
}

}  // namespace svc::model
