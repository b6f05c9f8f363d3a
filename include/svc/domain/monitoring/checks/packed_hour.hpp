#pragma once

#include "svc/core/bytes.hpp"
#include "svc/domain/monitoring/checks/response_times.hpp"
#include "svc/domain/monitoring/checks/result.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace svc::checks {

/// The reason for a check. Numbers are stored in packed hours: only append.
enum class kind : std::uint8_t { scheduled, confirm, manual };

/// A result without its details, which is kept for `retention.results`. A value.
struct kept_result {
  std::int64_t slot = 0;
  std::int64_t started_ms = 0;  ///< since the Unix epoch
  status ended = status::up;
  std::optional<code> code{};  ///< set unless the check ended well
  bool degraded = false;
  bool status_change = false;
  bool maintenance = false;
  kind asked_by = kind::scheduled;
  std::uint32_t attempts = 1;
  std::optional<std::uint16_t> status_code{};
  std::optional<std::uint32_t> response_time_ms{};
  timings phases{};

  friend bool operator==(kept_result const&, kept_result const&) = default;
};

/// Packs the results of a monitor at a location in an hour, in the given order, 10 to 14 bytes each if their times
/// are regular. It stores times as differences of differences, codes only where they change, and the response time as
/// the excess over the sum of its phases. Any values are kept exactly.
byte_vector packed(std::vector<kept_result> const& results);
inline constexpr std::size_t most_packed = 10'000;  ///< results; an hour of checks each 10 s has 360
/// Returns the results that `packed` was given, or `std::nullopt` for other bytes.
std::optional<std::vector<kept_result>> read_packed(byte_view bytes);

/// Sums of results. A row of `check_hours` or `check_days` stores them in addition to the results themselves. Sums of
/// summaries are summaries. A value.
struct summary {
  std::uint64_t checks = 0;  ///< all
  std::uint64_t up = 0;      ///< conclusive and good
  std::uint64_t down = 0;    ///< conclusive and bad; the rest were inconclusive
  // The times include only results that are up, because the duration of a timeout says nothing about the
  // target's speed.
  std::uint64_t sum_ms = 0;
  std::optional<std::uint32_t> min_ms{}, max_ms{};
  response_times times{};

  void add(kept_result const& result);
  void add(summary const& other);
  /// Returns the average, rounded down.
  std::optional<std::uint64_t> average_ms() const;

  friend bool operator==(summary const&, summary const&) = default;
};

}  // namespace svc::checks
