#include "svc/access/read_budget.hpp"

#include <algorithm>

namespace svc::access {
namespace {

constexpr std::size_t max_addresses = 10'000;
constexpr std::chrono::seconds budget_period{1};

}  // namespace

void read_budget::roll(steady::time_point now) {
  if (now - second_ < budget_period) return;
  asked_before_ = now - second_ < 2 * budget_period ? used_by_.size() : 0;
  second_ = now;
  used_ = 0;
  used_by_.clear();
}

bool read_budget::allow(std::string_view address, steady::time_point now) {
  roll(now);
  if (used_ >= rate_ || used_by_.size() >= max_addresses) return false;
  double& mine = used_by_[std::string(address)];
  auto const askers = static_cast<double>(std::max(asked_before_, used_by_.size()));
  if (mine >= std::max(1.0, rate_ / askers)) return false;
  mine += 1;
  used_ += 1;
  return true;
}

}  // namespace svc::access
