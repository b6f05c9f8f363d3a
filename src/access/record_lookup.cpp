#include "access/record_lookup.hpp"

namespace svc::access {

action record_lookup::start() {
  auto held = authenticator_.held(wanted_.digest);
  if (held.record && held.record->caller.epoch < wanted_.at_least) held = {};
  publish_ = held.unpublished;
  in_memory_ = held.record != nullptr;
  return steps_.start(std::move(held.record));
}

task<action> record_lookup::fetch(deadline until) {
  auto found = co_await authenticator_.fetch(wanted_.digest, until);
  wanted_.seen = wanted_.seen || found.seen;
  if (found.fetch == decision::fetch_outcome::lost) fallback_.redis_missed();
  if (found.record && found.record->caller.epoch < wanted_.at_least) found = {};
  co_return steps_.on_fetch(found.fetch, std::move(found.record));
}

task<action> record_lookup::read(epoch_mode mode, std::string address, deadline until) {
  std::optional<steady::time_point> not_before;
  // A read in flight may have been sent before the change in question.
  if (mode == epoch_mode::fresh || wanted_.at_least > 0) not_before = wanted_.arrived;
  if (mode == epoch_mode::forced) not_before = steady::now();
  auto found = co_await authenticator_.read(
      {wanted_.digest, not_before, wanted_.seen || in_memory_, std::move(address), wanted_.session}, until);
  sent_ = found.sent;
  publish_ = true;
  in_memory_ = false;
  co_return steps_.on_read(found.outcome, std::move(found.record), found.sent >= wanted_.arrived);
}

void record_lookup::keep() {
  // Nothing to do for a record already in worker memory: each admission confirms it again.
  if (steps_.verdict().keep && (publish_ || !in_memory_))
    authenticator_.keep(wanted_.digest, steps_.record(), publish_);
}

void record_lookup::keep_unknown() {
  if (publish_ && !steps_.verdict().local) authenticator_.keep_unknown(wanted_.digest, sent_);
}

}  // namespace svc::access
