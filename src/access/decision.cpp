#include "svc/access/decision.hpp"

namespace svc::access {

action decision::end(decided::kind kind) {
  verdict_.content = kind;
  verdict_.refusal = refusal_;
  verdict_.local = redis_lost_;
  return {};
}

action decision::start(record_ptr held) {
  if (held) {
    record_ = std::move(held);
    mode_ = epoch_mode::cached;
    return ask_about_record();
  }
  return redis_lost_ ? read(epoch_mode::fresh) : action{step::fetch};
}

action decision::on_fetch(fetched fetch, record_ptr record) {
  switch (fetch) {
    case fetched::record:
      record_ = std::move(record);
      mode_ = epoch_mode::cached;
      return ask_about_record();
    case fetched::negative:
      return ask_about_stranger();
    case fetched::lost:
      redis_lost_ = true;
      return read(epoch_mode::fresh);
    case fetched::nothing:
      break;
  }
  return read(epoch_mode::cached);
}

action decision::on_read(read_outcome outcome, record_ptr record, bool sent_after_arrival) {
  if (outcome == read_outcome::failed) return end(decided::kind::unavailable);
  record_ = std::move(record);
  if (outcome == read_outcome::unknown || !record_) {
    // The read it joined may have been sent before the token was created, and the request came after that.
    if (!sent_after_arrival && rules_.doubt_an_old_absence) return read(epoch_mode::fresh);
    return ask_about_stranger();
  }
  if (rereading_ && rules_.lift_a_past_database && stale_epoch_ && record_->caller.epoch < *stale_epoch_) {
    // Redis was told of a change that this database does not know: the database went back in time. What it says
    // about tokens is the truth again, but under epochs that were used before; lift them, then read once more.
    if (lifted_) return end(decided::kind::unavailable);
    return {step::lift, purpose::use, epoch_mode::none, *stale_epoch_};
  }
  bool const fresh = sent_after_arrival || !rules_.fresh_only_after_arrival;
  mode_ = rereading_ ? epoch_mode::forced : fresh ? epoch_mode::fresh : epoch_mode::cached;
  return ask_about_record();
}

action decision::on_lift(bool done) {
  if (!done) return end(decided::kind::unavailable);
  lifted_ = true;
  return read(epoch_mode::forced);
}

/// A usable record asks for its own window; one that is refused only asks whether it is still current.
action decision::ask_about_record() {
  refusal_ = policy_.refusal(*record_);
  if (redis_lost_) {
    // The token of a record read before this request may have been revoked since, and without Redis nothing says so.
    if (mode_ == epoch_mode::cached && rules_.read_when_redis_is_lost) return read(epoch_mode::fresh);
    if (refusal_) return ask_about_refusal();
    asked_ = purpose::use;
    return {step::local, asked_};
  }
  asked_ = refusal_ ? purpose::confirm : purpose::use;
  return {step::admit, asked_, mode_, record_->caller.epoch};
}

action decision::ask_about_refusal() {
  asked_ = purpose::refused;
  return {redis_lost_ ? step::local : step::admit, asked_};
}

action decision::ask_about_stranger() {
  record_.reset();
  refusal_ = errc::invalid_token;
  asked_ = purpose::anonymous;
  return {redis_lost_ ? step::local : step::admit, asked_};
}

action decision::on_admit(admitted admission, std::optional<std::int64_t> epoch) {
  if (asked_ == purpose::use || asked_ == purpose::confirm) return on_record_admitted(admission, epoch);
  if (admission == admitted::lost || admission == admitted::stale) {
    redis_lost_ = true;
    return {step::local, asked_};
  }
  return end_window(admission == admitted::ok);
}

action decision::on_record_admitted(admitted admission, std::optional<std::int64_t> epoch) {
  if (admission == admitted::lost) {
    redis_lost_ = true;
    return ask_about_record();
  }
  if (admission == admitted::stale && rules_.read_again_when_stale) {
    if (rereading_) return end(decided::kind::unavailable);
    rereading_ = true;
    stale_epoch_ = epoch;
    return read(epoch_mode::forced);
  }
  verdict_.keep = epoch == record_->caller.epoch || !rules_.keep_only_confirmed;
  if (refusal_) return ask_about_refusal();
  return end_window(admission != admitted::denied);
}

action decision::on_local(bool admitted) {
  return end_window(admitted);
}

action decision::end_window(bool admitted) {
  if (!admitted) return end(decided::kind::limited);
  if (asked_ == purpose::anonymous) return end(decided::kind::unknown);
  return end(refusal_ ? decided::kind::refused : decided::kind::let_in);
}

}  // namespace svc::access
