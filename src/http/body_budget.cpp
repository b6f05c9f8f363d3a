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

/// Each bit of the result depends on each bit of the value (SplitMix64's last steps).
std::uint64_t mixed_bits(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31U);
}

}  // namespace

bool may_hold(body_bytes const& most, std::size_t users, std::size_t process_left, std::size_t worker_left) {
  return users <= std::min({most.user, process_left, worker_left});
}

std::size_t body_ledger::cell(uuid const& user, std::size_t row) const {
  std::array<std::uint64_t, 2> halves{};
  static_assert(sizeof(halves) == sizeof(user.bytes));
  std::memcpy(halves.data(), user.bytes.data(), sizeof(halves));
  auto const mixed = mixed_bits(mixed_bits(halves[0] ^ salt_) ^ halves[1]);
  return (row == 0 ? mixed : mixed >> 16U) % cells;
}

body_ledger::sums body_ledger::add(uuid user, std::size_t bytes) {
  auto const first = users_[0][cell(user, 0)].fetch_add(bytes, relaxed);
  auto const second = users_[1][cell(user, 1)].fetch_add(bytes, relaxed);
  return {held_.fetch_add(bytes, relaxed) + bytes, std::min(first, second) + bytes};
}

void body_ledger::take_away(uuid user, std::size_t bytes) {
  for (std::size_t row = 0; row < users_.size(); ++row) users_[row][cell(user, row)].fetch_sub(bytes, relaxed);
  held_.fetch_sub(bytes, relaxed);
}

bool body_budget::grow(uuid user, std::size_t bytes) {
  auto const with = all_.add(user, bytes);
  held_ += bytes;
  // With room for it too: what is beyond a bound leaves nothing, and nobody may hold that.
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
