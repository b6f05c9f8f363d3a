#include "store/runs/trigger_queue.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace svc::store {

bool trigger_queue::push(ticket who, keys of) {
  if (waiting_.size() >= most_.waiting) return false;
  waiting_.push_back({who, std::move(of)});
  return true;
}

bool trigger_queue::drop(ticket who) {
  return std::erase_if(waiting_, [who](item const& i) { return i.who == who; }) > 0;
}

std::vector<trigger_queue::ticket> trigger_queue::take() {
  if (on_its_way_) return {};
  using key = std::tuple<uuid, bool, std::string>;
  std::set<key> taken;
  auto const clashes = [&](keys const& of) {
    return (!of.idempotency.empty() && taken.contains({of.job, false, of.idempotency})) ||
           (!of.dedup.empty() && taken.contains({of.job, true, of.dedup}));
  };
  std::vector<item> batch;
  std::deque<item> left;
  for (item& one : waiting_) {
    if (batch.size() >= most_.batch || clashes(one.of)) {
      left.push_back(std::move(one));
      continue;
    }
    if (!one.of.idempotency.empty()) taken.insert({one.of.job, false, one.of.idempotency});
    if (!one.of.dedup.empty()) taken.insert({one.of.job, true, one.of.dedup});
    batch.push_back(std::move(one));
  }
  waiting_ = std::move(left);
  std::ranges::sort(batch, {}, [](item const& i) { return std::tie(i.of.job, i.of.idempotency, i.of.dedup, i.who); });
  std::vector<ticket> out;
  out.reserve(batch.size());
  for (item const& one : batch) out.push_back(one.who);
  on_its_way_ = !out.empty();
  return out;
}

}  // namespace svc::store
