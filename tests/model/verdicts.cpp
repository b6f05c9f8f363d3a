// The ends of requests, and the invariants at these ends.
#include "model/simulator.hpp"

namespace svc::model {

using access::decision_result;

void simulator::conclude(state& s, u8 r, access::decision const& d) {
  request q = s.requests[r];
  auto const& verdict = d.verdict();
  bool const has_record = d.record() != nullptr;
  record const used = has_record ? records::plain(*d.record()) : record{};
  if (q.reads > 2 + (q.advances != 0 ? 1 : 0) + q.joined_unknown || q.admits > 2 || q.asks > 1 || q.advances > 1) {
    broken(bounded_work);
  }
  switch (verdict.content) {
    case decision_result::kind::let_in:
      tally_.add(counted::let_in);
      check_record(s, q, verdict, used);
      check_session(s, q);
      break;
    case decision_result::kind::refused:
      tally_.add(counted::refused);
      if (has_record) check_record(s, q, verdict, used);
      break;
    case decision_result::kind::unknown:
      tally_.add(counted::unknown);
      if (q.created != 0) broken(created_unknown);
      if (q.publish != 0 && !verdict.local) {
        for (record& p : s.puts) {
          if (p.stored != stored::nothing) continue;
          p = {stored::negative, q.token, usability::usable, 0, 0, s.now, 0, 0};
          break;
        }
      }
      break;
    case decision_result::kind::limited:
      break;
    case decision_result::kind::unavailable:
      tally_.add(counted::unavailable);
      break;
  }
  if (has_record) note_rejoined(s, q, verdict, used);
  if (verdict.keep) keep(s, q, used);
  for (flight& f : s.flights) {
    f.sent_after &= static_cast<u8>(~(1 << r));
    f.read_after &= static_cast<u8>(~(1 << r));
  }
  s.requests[r] = {};
  s.requests[r].phase = going::done;
  if (verdict.content == decision_result::kind::let_in) go_on(s, r, q, used);
}

void simulator::check_record(state const& s, request const& q, decision_result const& verdict, record const& used) {
  if (verdict.local) tally_.add(counted::local);
  if (s.now - used.read_at > record_age) broken(bounded_age);
  if (q.read_after == 0 && q.equal == 0 && rules_.checks_confirmation) broken(confirmed_use);
  if (used.version < q.floor) broken(dead_token);
  if (q.after_rejoin != 0 && s.lost[q.token].has(used.version)) broken(back_in_time);
}

void simulator::keep(state& s, request const& q, record const& used) {
  if (q.held != used.epoch) broken(confirmed_memory);
  if (q.publish == 0 && q.in_memory != 0) return;
  tally_.add(counted::kept);
  records_.with_memory(s.workers[q.worker], s.now, [&](access::record_cache& memory) {
    memory.keep(records_.digest(q.token), {records_.real(used), false});
  });
  if (q.publish == 0) return;
  for (record& p : s.puts) {
    if (p.stored != stored::nothing) continue;
    p = used;
    return;
  }
}

/// From here on no request may use the data that the failover of PostgreSQL removed.
void simulator::note_rejoined(state& s, request const& q, decision_result const& verdict, record const& used) {
  if (q.clean == 0 || verdict.local || s.lost[q.token].has(used.version)) return;
  if (used.version == s.truth.version[q.token]) s.rejoined[q.token] = 1;
}

}  // namespace svc::model
