#pragma once

#include "svc/core/uuid.hpp"
#include "svc/domain/monitoring/checks/packed_hour.hpp"

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

// Makes up a monitor's past from a seed. Computes the expected summaries by reading its list of results and outages
// from one end to the other. Nothing here is shared with the service's computation.

namespace svc::test {

inline constexpr std::int64_t plan_second = 1'000'000, plan_hour = 3600 * plan_second, plan_day = 24 * plan_hour;

struct planned_result {
  checks::kept_result kept{};
  std::int64_t covers = 0;  ///< seconds
  std::int64_t hour = 0;    ///< hour that keeps it: the one after its start if it arrived late
};

/// An outage, in microseconds.
struct planned_outage {
  std::int64_t first = 0;
  std::optional<std::int64_t> last{};  ///< empty while it is open
  std::int64_t known = 0;     ///< seconds that conclusive results cover; replaced by `excluded` once it is over
  std::int64_t excluded = 0;  ///< seconds
  std::string end = "recovered";
};

struct planned_monitor {
  uuid id{};
  std::int64_t longest_interval = 0;  ///< seconds
  std::vector<planned_result> results{};
  std::vector<planned_outage> outages{};
};

/// A time in which a monitor is checked, in microseconds.
struct planned_window {
  std::int64_t first, last;
};

/// Returns days on which clocks change in Berlin and New York, days at random, and the last two, in 400 days before
/// now.
std::vector<planned_window> windows_before(std::int64_t now, std::mt19937& random, int others);

/// Plans a monitor that is checked each `interval` seconds in these windows. It is good, bad and erring for a while,
/// missed, paused, edited (also to another interval). The last outage may be open.
planned_monitor plan_monitor(std::uint32_t seed, std::vector<planned_window> const& windows, std::int64_t interval,
                             std::int64_t now);

/// The summary that a reader of the lists would make of [from, to).
struct expected_history {
  std::int64_t checks = 0, up = 0, down = 0, observed = 0, sum_ms = 0;
  std::vector<std::uint32_t> times{};  ///< of good results, sorted
  long double down_micros = 0;
  std::int64_t outages = 0;
  bool listed_with_downtime = false;
};
/// `packed` is the hour from which on results are not packed, and cover no future time.
expected_history expect_history(planned_monitor const& monitor, std::int64_t first, std::int64_t last,
                                std::int64_t now, std::int64_t packed);

}  // namespace svc::test
