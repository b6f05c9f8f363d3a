#include "svc/core/account_window.hpp"

namespace svc {

account_window::account_window(account& to, steady::duration window, steady::time_point now)
    : to_(to), length_(window / slices), ends_(now + length_) {}

account_window::~account_window() {
  for (auto& each : slices_) release(each);
}

void account_window::spend(account_owner const& owner, std::size_t amount, steady::time_point now) {
  roll(now);
  auto& in = slices_[at_];
  bool const known = in.owners.contains(owner.project);
  if (owner.project == uuid{} || (!known && in.owners.size() >= most_owners)) {
    to_.charge({}, amount);
    in.nobody += amount;
    return;
  }
  to_.charge(owner, amount);
  in.owners.try_emplace(owner.project, spent{owner}).first->second.amount += amount;
}

void account_window::roll(steady::time_point now) {
  for (std::size_t passed = 0; now >= ends_; ++passed) {
    if (passed == slices) {  // Everything has been released, so the number of further slices does not matter.
      ends_ = now + length_;
      return;
    }
    at_ = (at_ + 1) % slices;
    ends_ += length_;
    release(slices_[at_]);
  }
}

void account_window::release(slice& from) {
  for (auto const& [project, each] : from.owners) to_.release(each.owner, each.amount);
  to_.release({}, from.nobody);
  from = {};
}

std::size_t account_window::owners() const {
  std::size_t out = 0;
  for (auto const& each : slices_) out += each.owners.size();
  return out;
}

}  // namespace svc
