// The epochs and records of schema/redis/*.lua; windows have their own model (tests/integration/access).
#include "model/simulator.hpp"

namespace svc::model {

void simulator::set_epoch(state& s, u8 subject, u8 epoch) {
  s.cache.epoch[subject] = epoch;
  if (!s.committed[subject].has(epoch)) broken(only_committed);
}

simulator::reply simulator::run_admit(state& s, u8 subject, epoch_mode mode, u8 epoch) {
  using admitted = access::decision::admission_outcome;
  u8 const held = s.cache.epoch[subject];
  if (mode == epoch_mode::none) return {admitted::ok, 0};
  if (mode == epoch_mode::cached) {
    if (held == 0 && !rules_.cached_never_creates) {
      set_epoch(s, subject, epoch);
      return {admitted::ok, epoch};
    }
    return {held == epoch ? admitted::ok : admitted::stale, held};
  }
  if (held < epoch || (mode == epoch_mode::forced && !rules_.admit_never_lowers)) {
    set_epoch(s, subject, epoch);
    return {admitted::ok, epoch};
  }
  if (held != epoch && mode == epoch_mode::fresh && rules_.fresh_may_be_stale) return {admitted::stale, held};
  return {admitted::ok, held};
}

void simulator::run_bump(state& s, u8 subject, u8 epoch) {
  if (s.cache.epoch[subject] < epoch || !rules_.bump_never_lowers) set_epoch(s, subject, epoch);
}

void simulator::run_put(state& s, record const& r) {
  record& held = s.cache.records[r.token];
  bool const expired = (held.stored == stored::record && s.now - held.read_at > record_age) ||
                       (held.stored == stored::negative && s.now != held.read_at);
  if (r.stored == stored::negative) {
    if (held.stored == stored::nothing || expired || !rules_.negative_only_if_absent) held = r;
    return;
  }
  if (held.stored == stored::record) {
    bool const newer = r.epoch != held.epoch ? r.epoch > held.epoch : r.read_at > held.read_at;
    if (!newer && rules_.put_keeps_newer) return;
    if (!newer) broken(record_back);
  }
  held = r;
}

void simulator::run_announce(state& s, u8 token) {
  record& held = s.cache.records[token];
  if (held.stored == stored::record) return;
  if (held.stored == stored::negative && !rules_.announce_replaces_negative) return;
  held = {stored::marker, token, usability::usable, 0, 0, 0, 0, 0};
}

}  // namespace svc::model
