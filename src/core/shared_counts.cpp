#include "svc/core/shared_counts.hpp"

#include "svc/core/random.hpp"

#include <algorithm>
#include <cstring>

namespace svc {
namespace {

/// Spreads every bit over all (the finaliser of MurmurHash3).
std::uint64_t spread(std::uint64_t v) {
  v = (v ^ (v >> 33)) * 0xff51afd7ed558ccdULL;
  v = (v ^ (v >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return v ^ (v >> 33);
}

}  // namespace

shared_counts::shared_counts(std::size_t slots)
    : mask_(slots - 1), rows_{std::vector<slot>(slots), std::vector<slot>(slots)} {
  random_bytes({reinterpret_cast<std::uint8_t*>(seed_.data()), sizeof seed_});
}

shared_counts::key shared_counts::key_of(std::uint8_t count, std::array<std::uint8_t, 16> const& owner) const {
  std::array<std::uint64_t, 2> halves{};
  std::memcpy(halves.data(), owner.data(), owner.size());
  return spread(spread(spread(halves[0] ^ seed_[0]) + halves[1] + count) ^ seed_[1]);
}

bool shared_counts::take(key owner, std::size_t most) {
  // Each caller adds to the second counter before the first and reads the second one last: of two callers that
  // compete for the last place, at least one sees the other.
  second(owner).fetch_add(1);
  if (first(owner).fetch_add(1) < most || second(owner).load() <= most) return true;
  give_back(owner);
  return false;
}

std::size_t shared_counts::add(key owner, std::size_t more) {
  auto const before = second(owner).fetch_add(more);
  return std::min(before, first(owner).fetch_add(more)) + more;
}

void shared_counts::subtract(key owner, std::size_t fewer) {
  first(owner).fetch_sub(fewer);
  second(owner).fetch_sub(fewer);
}

std::size_t shared_counts::count(key owner) const {
  return std::min(rows_[0][owner & mask_].load(), rows_[1][(owner >> 32) & mask_].load());
}

}  // namespace svc
