#pragma once

#include "svc/core/uuid.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace svc {

/// Counts the resources of each holder, over all workers of this process. The table of atomic counters has a fixed
/// size. Each holder has two counters, and a hash that nobody outside can predict finds them. A holder's count is the
/// smaller of its two counters. The count can be too high only when both counters are shared with other holders; that
/// may refuse a holder too early, but never grants it more. Thread-safe; outlives all holders.
class shared_counts {
 public:
  /// Identifies a holder of a counted resource: made from the resource (`count`) and the holder's id.
  using key = std::uint64_t;

  /// `slots` is a power of two, many times the expected number of holders.
  explicit shared_counts(std::size_t slots = 32'768);
  shared_counts(shared_counts const&) = delete;
  shared_counts& operator=(shared_counts const&) = delete;

  key key_of(std::uint8_t count, std::array<std::uint8_t, 16> const& owner) const;
  /// Adds one for this holder, unless it has `most`.
  bool take(key owner, std::size_t most);
  void give_back(key owner) { subtract(owner, 1); }
  /// Adds `more`, whatever the holder has, and returns the holder's new count.
  std::size_t add(key owner, std::size_t more);
  void subtract(key owner, std::size_t fewer);
  std::size_t count(key owner) const;

 private:
  using slot = std::atomic<std::size_t>;

  slot& first(key owner) { return rows_[0][owner & mask_]; }
  slot& second(key owner) { return rows_[1][(owner >> 32) & mask_]; }

  std::size_t mask_;
  std::array<std::uint64_t, 2> seed_{};
  std::array<std::vector<slot>, 2> rows_;
};

}  // namespace svc
