#include "model/simulator.hpp"

#include <algorithm>

namespace svc::model {

state simulator::initial() const {
  state s{};
  s.clock = s.versions = 1;
  for (u8 t = 0; t < max_tokens; ++t) {
    u8 const there = (where_.tokens >> t) & 1;
    s.truth.exists[t] = there;
    s.truth.version[t] = there;
    bool const off = ((where_.disabled >> t) & 1) != 0;
    s.truth.state[t] = off ? usability::disabled : usability::usable;
    if (there != 0 || subject_of[t] == 0) s.truth.epoch[subject_of[t]] = 1;
  }
  for (u8 i = 0; i < max_subjects; ++i) {
    if (s.truth.epoch[i] != 0) s.committed[i].add(1);
  }
  if (where_.warm_redis) s.cache.epoch = s.truth.epoch;
  for (u8 t = 0; t < max_tokens; ++t) {
    record const known = auth_read(s, t);
    if (where_.warm_redis && !where_.no_records) s.cache.records[t] = known;
    for (u8 w = 0; w < where_.workers; ++w) {
      if (((where_.warm_workers >> w) & 1) != 0) s.workers[w].memory[t].record = known;
    }
  }
  s.standby = s.truth;
  s.replica = s.cache;
  for (u8 w = 0; w < where_.workers; ++w) {
    s.workers[w].breaker_open = (where_.lost_workers >> w) & 1;
    s.workers[w].reaches_redis = s.workers[w].breaker_open == 0 ? 1 : 0;
  }
  for (request& q : s.requests) q.phase = going::done;
  for (change& c : s.changes) c.phase = doing::done;
  for (std::size_t i = 0; i < where_.requests.size(); ++i) {
    s.requests.at(i).phase = going::waiting;
    s.requests.at(i).worker = where_.requests[i].worker;
    s.requests.at(i).token = where_.requests[i].token;
    s.requests.at(i).writes = where_.requests[i].writes ? 1 : 0;
  }
  for (std::size_t i = 0; i < where_.changes.size(); ++i) {
    change& c = s.changes.at(i);
    c.phase = doing::idle;
    c.kind = where_.changes[i].kind;
    c.worker = where_.changes[i].worker;
    c.target = where_.changes[i].target;
  }
  for (event e : where_.events) ++s.budget[static_cast<std::size_t>(e)];
  return s;
}

bool simulator::quiet(state const& s) {
  return std::ranges::all_of(s.requests,
                             [](request const& q) { return q.phase == going::done || q.phase == going::waiting; }) &&
         std::ranges::all_of(s.changes,
                             [](change const& c) { return c.phase == doing::done || c.phase == doing::idle; }) &&
         std::ranges::all_of(s.flights, [](flight const& f) { return f.phase == air::free; }) &&
         std::ranges::all_of(s.bumps, [](late_bump const& l) { return l.epoch == 0; }) &&
         std::ranges::all_of(s.workers, [](worker const& w) { return w.relay.phase == 0; });
}

}  // namespace svc::model
