#pragma once

#include "svc/core/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace svc::checks {

/// A histogram of response times, in buckets whose width is 2.5 % of their start. Every millisecond up to 40 has its
/// own bucket, and the last one ends at 10 minutes. Sums of histograms are histograms, so percentiles of any period
/// are exact to 2.5 %, which averages of percentiles never are. A value.
class response_times {
 public:
  static constexpr std::uint32_t longest_ms = 600'000;

  /// 0 counts as 1 ms, and a time over 10 minutes as 10 minutes.
  void add(std::uint32_t ms, std::uint64_t times = 1);
  void add(response_times const& other);
  std::uint64_t count() const { return count_; }
  /// Returns the time in ms that `percent` (1..100) of all times do not exceed (nearest rank). The error is
  /// at most 1.25 % and half a millisecond. Returns `std::nullopt` while there are no times.
  std::optional<std::uint32_t> percentile(unsigned percent) const;

  /// Returns for each non-empty bucket, in order, the number of buckets between it and the previous one, and its
  /// count; both as varints (LEB128). An empty histogram gives no bytes.
  byte_vector packed() const;
  /// Returns `std::nullopt` for bytes that `packed` does not write.
  static std::optional<response_times> read(byte_view bytes);

  friend bool operator==(response_times const&, response_times const&) = default;

 private:
  void add_to(std::size_t bucket, std::uint64_t times);

  std::vector<std::uint64_t> buckets_{};  ///< up to the last one in use
  std::uint64_t count_ = 0;
};

}  // namespace svc::checks
