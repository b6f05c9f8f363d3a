#include "monitoring/checks/attempts.hpp"

#include <utility>

namespace svc::checks {

void attempts::add(checks::result_of_check one) {
  ++count_;
  if (checks::evidence_of(one.ended) == checks::evidence::bad) {
    ++bad_;
    last_bad_ = one;
  }
  last_ = std::move(one);
}

std::optional<milliseconds> attempts::next() {
  if (last_->ended == checks::status::up || bad_ == 0 || left_ == 0) return std::nullopt;
  --left_;
  return std::exchange(delay_, delay_ * backoff_);
}

checks::result_of_check attempts::result() const {
  if (last_->ended == checks::status::up) return *last_;
  return bad_ > 1 || (bad_ == 1 && count_ == 1) ? *last_bad_ : *last_;
}

}  // namespace svc::checks
