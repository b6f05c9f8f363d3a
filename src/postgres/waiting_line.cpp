#include "postgres/waiting_line.hpp"

#include <algorithm>

namespace svc::postgres {

namespace {

constexpr uuid no_project{};

}  // namespace

void waiting_line::add(waiting_caller& caller, line_end end) {
  auto position = common_.begin();
  if (caller.owner.project != no_project) {
    auto const [known, added] = by_project_.try_emplace(caller.owner.project);
    if (added) known->second = tenants_.insert(tenants_.end(), {.owner = caller.owner});
    position = known->second;
  }
  caller.queue_ = position;
  auto const before = end == line_end::first ? position->callers.begin() : position->callers.end();
  caller.position_ = position->callers.insert(before, &caller);
  ++size_;
}

void waiting_line::remove(waiting_caller& caller) {
  auto const position = caller.queue_;
  position->callers.erase(caller.position_);
  --size_;
  if (!position->callers.empty() || position == common_.begin()) return;
  by_project_.erase(position->owner.project);
  tenants_.erase(position);
}

waiting_caller* waiting_line::take(room const& room_of) {
  auto* out = common_next_ ? take_common(room_of) : take_tenant(room_of);
  if (out == nullptr) out = common_next_ ? take_tenant(room_of) : take_common(room_of);
  if (out != nullptr) common_next_ = out->owner.project != no_project;
  return out;
}

waiting_caller* waiting_line::take_common(room const& room_of) {
  auto const& callers = common_.front().callers;
  if (callers.empty() || room_of({}) <= 0) return nullptr;
  auto* const out = callers.front();
  remove(*out);
  return out;
}

waiting_caller* waiting_line::take_tenant(room const& room_of) {
  auto const iterator = std::ranges::find_if(tenants_, [&](queue const& queue) { return room_of(queue.owner) > 0; });
  if (iterator == tenants_.end()) return nullptr;
  auto* const out = iterator->callers.front();
  // The owner's next turn comes after those of all others.
  tenants_.splice(tenants_.end(), tenants_, iterator);
  remove(*out);
  return out;
}

waiting_caller* waiting_line::take_any() {
  if (size_ == 0) return nullptr;
  auto* const out =
      common_.front().callers.empty() ? tenants_.front().callers.front() : common_.front().callers.front();
  remove(*out);
  return out;
}

std::size_t waiting_line::eligible(room const& room_of, std::size_t most) const {
  std::size_t sum = 0;
  auto const add = [&](queue const& queue) {
    if (queue.callers.empty() || sum >= most) return;
    sum += std::min(queue.callers.size(), static_cast<std::size_t>(std::max(0, room_of(queue.owner))));
  };
  add(common_.front());
  for (auto position = tenants_.begin(); position != tenants_.end() && sum < most; ++position) add(*position);
  return std::min(sum, most);
}

steady::time_point waiting_line::longest(room const& room_of, steady::time_point none) const {
  auto out = none;
  auto const look = [&](queue const& queue) {
    if (!queue.callers.empty() && queue.callers.front()->since < out && room_of(queue.owner) > 0)
      out = queue.callers.front()->since;
  };
  look(common_.front());
  for (auto const& entry : tenants_) look(entry);
  return out;
}

bool waiting_line::tenant_waits(room const& room_of) const {
  return std::ranges::any_of(tenants_, [&](queue const& queue) { return room_of(queue.owner) > 0; });
}

waiting_line::queue const* waiting_line::queue_of(account_owner const& owner) const {
  if (owner.project == no_project) return &common_.front();
  auto const known = by_project_.find(owner.project);
  return known == by_project_.end() ? nullptr : &*known->second;
}

std::size_t waiting_line::waiting(account_owner const& owner) const {
  auto const* const queue = queue_of(owner);
  return queue == nullptr ? 0 : queue->callers.size();
}

steady::time_point waiting_line::first_of(account_owner const& owner, steady::time_point none) const {
  auto const* const queue = queue_of(owner);
  return queue == nullptr || queue->callers.empty() ? none : queue->callers.front()->since;
}

}  // namespace svc::postgres
