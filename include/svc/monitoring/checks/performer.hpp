#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/monitoring/checks/certificate_warning.hpp"
#include "svc/domain/monitoring/checks/packed_hour.hpp"
#include "svc/domain/monitoring/checks/result.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

namespace svc::scheduler {

/// Why a slot goes by without a check.
enum class missed : std::uint8_t { still_running, overloaded, nobody_watched, values_unread, target_busy };
inline constexpr std::size_t missed_count = 5;

/// What to check, as plain values.
struct check_order {
  uuid monitor{}, project{}, organization{};
  std::int64_t check_version = 1;  ///< of target and config
  std::string type{}, target{};
  std::string config{};  ///< JSON
  std::chrono::seconds interval{300};
  milliseconds may_wait{0};  ///< for its turn; then it is too late
};

struct performed_check {
  checks::result_of_check result{};
  std::uint32_t attempts = 1;
  std::optional<checks::certificate_warning> warning{};
};

/// What is kept of it. `began`: milliseconds since 1970.
checks::kept_result kept_of(performed_check const& found, std::int64_t began, checks::kind asked_by);

/// What a check ends with; or, if it could not begin for a reason of our own, why its slot goes by.
using check_end = std::variant<performed_check, missed>;

/// Checks, with all retries. May be cancelled at any of its awaits (asio's cancellation, `terminal`): then nobody
/// wants its result. What it throws is a result that says nothing, `internal`.
using performer = std::function<task<check_end>(check_order)>;

}  // namespace svc::scheduler
