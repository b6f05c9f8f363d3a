#pragma once

#include "svc/core/uuid.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace svc {

/// How much of something each holder has, over all workers of this process: a fixed table of atomic counters, two for
/// each holder, found by a hash that nobody outside can predict. A holder's count is the smaller of its two counters.
/// It can be too high only when both counters are shared with other holders; that may refuse a holder too early, but
/// never lets it have more. Any thread; outlives all holders.
class shared_counts {
 public:
  /// A holder among all others, by what is counted (`of`) and who holds it.
  using key = std::uint64_t;

  /// `slots`: a power of two, many times the expected number of holders.
  explicit shared_counts(std::size_t slots = 32'768);
  shared_counts(shared_counts const&) = delete;
  shared_counts& operator=(shared_counts const&) = delete;

  key key_of(std::uint8_t count, std::array<std::uint8_t, 16> const& holder) const;
  /// Adds one for this holder, unless it has `most`.
  bool take(key holder, std::size_t most);
  void give_back(key holder) { subtract(holder, 1); }
  /// Adds `more`, whatever the holder has; returns what it has then.
  std::size_t add(key holder, std::size_t more);
  void subtract(key holder, std::size_t fewer);
  std::size_t count(key holder) const;

 private:
  using slot = std::atomic<std::size_t>;

  slot& first(key holder) { return rows_[0][holder & mask_]; }
  slot& second(key holder) { return rows_[1][(holder >> 32) & mask_]; }

  std::size_t mask_;
  std::array<std::uint64_t, 2> seed_{};
  std::array<std::vector<slot>, 2> rows_;
};

}  // namespace svc
