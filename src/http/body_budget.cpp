#include "svc/http/body_budget.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace svc::http {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

std::size_t left_of(std::size_t most, std::size_t held) {
  return most - std::min(most, held);
}

}  // namespace

bool body_text::add_piece(std::size_t wanted) {
  // As much again as there is: few pieces, and never more than twice what has arrived.
  auto const capacity = std::clamp(std::max(wanted, size_), first_size, piece_size);
  if (!share_.hold(waiting + capacity_ + capacity)) return false;
  pieces_.push_back({std::make_unique_for_overwrite<char[]>(capacity), capacity});
  capacity_ += capacity;
  return true;
}

bool body_text::append(std::string_view bytes) {
  while (!bytes.empty()) {
    if (pieces_.empty() || pieces_.back().size == pieces_.back().capacity) {
      if (!add_piece(bytes.size())) return false;
    }
    auto& to = pieces_.back();
    auto const taken = bytes.substr(0, to.capacity - to.size);
    std::memcpy(to.bytes.get() + to.size, taken.data(), taken.size());
    to.size += taken.size();
    size_ += taken.size();
    bytes.remove_prefix(taken.size());
  }
  return true;
}

std::string body_text::joined() const {
  std::string out;
  for (auto i = first_; i < pieces_.size(); ++i) out.append(pieces_[i].text());
  return out;
}

bool may_hold(body_bytes const& most, std::size_t users, std::size_t process_left, std::size_t worker_left) {
  return users <= std::min({most.user, process_left, worker_left});
}

body_ledger::sums body_ledger::add(uuid user, std::size_t bytes) {
  auto const users = users_.add(users_.key_of(0, user.bytes), bytes);
  return {held_.fetch_add(bytes, relaxed) + bytes, users};
}

void body_ledger::take_away(uuid user, std::size_t bytes) {
  users_.subtract(users_.key_of(0, user.bytes), bytes);
  held_.fetch_sub(bytes, relaxed);
}

bool body_budget::grow(uuid user, std::size_t bytes) {
  auto const with = all_.add(user, bytes);
  held_ += bytes;
  // Checked after adding: beyond a bound nothing is left, so nobody may hold anything.
  if (may_hold(most_, with.user, left_of(most_.process, with.process), left_of(most_.worker, held_))) return true;
  shrink(user, bytes);
  ++refused_;
  return false;
}

void body_budget::shrink(uuid user, std::size_t bytes) {
  all_.take_away(user, bytes);
  held_ -= bytes;
}

body_share::body_share(body_share&& other) noexcept
    : of_(other.of_), user_(other.user_), held_(std::exchange(other.held_, 0)) {}

body_share::~body_share() {
  hold(0);
}

bool body_share::hold(std::size_t bytes) {
  if (bytes > held_ && !of_->grow(user_, bytes - held_)) return false;
  if (bytes < held_) of_->shrink(user_, held_ - bytes);
  held_ = bytes;
  return true;
}

}  // namespace svc::http
