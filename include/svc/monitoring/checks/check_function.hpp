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

/// The reason why a slot is skipped.
enum class skip_reason : std::uint8_t { still_running, overloaded, nobody_watched, values_unread, target_busy };
inline constexpr std::size_t missed_count = 5;

/// The parameters of a check, as plain values.
struct check_order {
  uuid monitor{}, project{}, organization{};
  std::int64_t check_version = 1;  ///< version of target and config
  std::string type{}, target{};
  std::string config{};  ///< JSON
  std::chrono::seconds interval{300};
  milliseconds may_wait{0};  ///< maximum wait for its turn; after that it is too late
};

struct check_report {
  checks::result_of_check result{};
  std::uint32_t attempts = 1;
  std::optional<checks::certificate_warning> warning{};
};

/// Converts a result to its stored form. `began` is in milliseconds since 1970.
checks::kept_result kept_of(check_report const& found, std::int64_t began, checks::kind asked_by);

/// The result of a check, or the reason why it was skipped.
using check_end = std::variant<check_report, skip_reason>;

/// Runs a check with all retries. It may be cancelled at any of its awaits (asio's cancellation, `terminal`); the
/// result is then not used. An exception counts as the inconclusive result `internal`.
using check_function = std::function<task<check_end>(check_order)>;

}  // namespace svc::scheduler
