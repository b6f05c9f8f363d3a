#include "svc/access/decision.hpp"

namespace svc::access {

action decision::end(decision_result::kind kind) {
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

action decision::on_fetch(fetch_outcome fetch, record_ptr record) {
  switch (fetch) {
    case fetch_outcome::record:
      record_ = std::move(record);
      mode_ = epoch_mode::cached;
      return ask_about_record();
    case fetch_outcome::negative:
      return ask_about_stranger();
    case fetch_outcome::lost:
      redis_lost_ = true;
      return read(epoch_mode::fresh);
    case fetch_outcome::nothing:
      break;
  }
  return read(epoch_mode::cached);
}

action decision::on_read(read_outcome outcome, record_ptr record, bool sent_after_arrival) {
  if (outcome == read_outcome::failed) return end(decision_result::kind::unavailable);
  record_ = std::move(record);
  if (outcome == read_outcome::unknown || !record_) {
    // The shared read may have been sent before the token was created, and this request arrived later.
    if (!sent_after_arrival && rules_.revalidate_old_absence) return read(epoch_mode::fresh);
    return ask_about_stranger();
  }
  if (rereading_ && rules_.advance_past_database && stale_epoch_ && record_->caller.epoch < *stale_epoch_) {
    // Redis knows a change that this database does not know, so the database went back in time. Its rows are valid
    // again, but under epochs that were used before. Advance them, then read once more.
    if (advanced_) return end(decision_result::kind::unavailable);
    return {step::advance, purpose::use, epoch_mode::none, *stale_epoch_};
  }
  bool const fresh = sent_after_arrival || !rules_.fresh_only_after_arrival;
  mode_ = rereading_ ? epoch_mode::forced : fresh ? epoch_mode::fresh : epoch_mode::cached;
  return ask_about_record();
}

action decision::on_advance(bool done) {
  if (!done) return end(decision_result::kind::unavailable);
  advanced_ = true;
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

action decision::on_admit(admission_outcome admission, std::optional<std::int64_t> epoch) {
  if (asked_ == purpose::use || asked_ == purpose::confirm) return on_record_admitted(admission, epoch);
  if (admission == admission_outcome::lost || admission == admission_outcome::stale) {
    redis_lost_ = true;
    return {step::local, asked_};
  }
  return end_window(admission == admission_outcome::ok);
}

action decision::on_record_admitted(admission_outcome admission, std::optional<std::int64_t> epoch) {
  if (admission == admission_outcome::lost) {
    redis_lost_ = true;
    return ask_about_record();
  }
  if (admission == admission_outcome::stale && rules_.read_again_when_stale) {
    if (rereading_) return end(decision_result::kind::unavailable);
    rereading_ = true;
    stale_epoch_ = epoch;
    return read(epoch_mode::forced);
  }
  verdict_.keep = epoch == record_->caller.epoch || !rules_.keep_only_confirmed;
  if (refusal_) return ask_about_refusal();
  return end_window(admission != admission_outcome::denied);
}

action decision::on_local(bool admitted) {
  return end_window(admitted);
}

action decision::end_window(bool admitted) {
  if (!admitted) return end(decision_result::kind::limited);
  if (asked_ == purpose::anonymous) return end(decision_result::kind::unknown);
  return end(refusal_ ? decision_result::kind::refused : decision_result::kind::let_in);
}

}  // namespace svc::access
