#pragma once

#include "svc/core/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace svc::checks {

/// How often response times came, in buckets whose width is 2.5 % of where they begin: every millisecond up to 40 has
/// its own, the last one ends at 10 minutes. Sums of histograms are histograms, so percentiles of any period are
/// exact to 2.5 %, which averages of percentiles never are. A value.
class response_times {
 public:
  static constexpr std::uint32_t longest_ms = 600'000;

  /// 0 counts as 1 ms, and what is longer than 10 minutes as 10 minutes.
  void add(std::uint32_t ms, std::uint64_t times = 1);
  void add(response_times const& other);
  std::uint64_t count() const { return count_; }
  /// The time that `percent` (1..100) of all are not longer than (nearest rank), in ms, wrong by at most 1.25 % and
  /// half a millisecond less. Nothing while there are none.
  std::optional<std::uint32_t> percentile(unsigned percent) const;

  /// For each bucket that is not empty, in order: how many lie between it and the one before, and its count; both as
  /// varints (LEB128). Nothing for an empty histogram.
  byte_vector packed() const;
  /// Nothing for bytes that `packed` does not write.
  static std::optional<response_times> read(byte_view bytes);

  friend bool operator==(response_times const&, response_times const&) = default;

 private:
  void add_to(std::size_t bucket, std::uint64_t times);

  std::vector<std::uint64_t> buckets_{};  ///< up to the last one in use
  std::uint64_t count_ = 0;
};

}  // namespace svc::checks
