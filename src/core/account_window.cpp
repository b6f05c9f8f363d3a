#include "svc/core/account_window.hpp"

namespace svc {

account_window::account_window(account& account, steady::duration window, steady::time_point now)
    : account_(account), length_(window / slices), ends_(now + length_) {}

account_window::~account_window() {
  for (auto& each : slices_) release(each);
}

void account_window::spend(account_owner const& owner, std::size_t amount, steady::time_point now) {
  roll(now);
  auto& entry = slices_[position_];
  spent_ += amount;
  bool const full = sums_.size() >= most_owners && !sums_.contains(owner.project);
  if (owner.project == uuid{} || full) {
    account_.charge({}, amount);
    entry.nobody += amount;
    return;
  }
  auto& sum = sums_[owner.project];
  // A project stays with the organisation that it was first seen with, so that the released amounts equal the charged
  // ones.
  if (sum.amount == 0) sum.owner = owner;
  account_.charge(sum.owner, amount);
  sum.amount += amount;
  entry.owners[owner.project] += amount;
}

void account_window::roll(steady::time_point now) {
  for (std::size_t passed = 0; now >= ends_; ++passed) {
    if (passed == slices) {  // Everything has been released, so the number of further slices does not matter.
      ends_ = now + length_;
      return;
    }
    position_ = (position_ + 1) % slices;
    ends_ += length_;
    release(slices_[position_]);
  }
}

void account_window::release(slice& slice) {
  for (auto const& [project, amount] : slice.owners) {
    auto const found = sums_.find(project);
    account_.release(found->second.owner, amount);
    spent_ -= amount;
    found->second.amount -= amount;
    if (found->second.amount == 0) sums_.erase(found);
  }
  account_.release({}, slice.nobody);
  spent_ -= slice.nobody;
  slice = {};
}

std::size_t account_window::spent_by(uuid const& project) const {
  auto const found = sums_.find(project);
  return found == sums_.end() ? 0 : found->second.amount;
}

}  // namespace svc
