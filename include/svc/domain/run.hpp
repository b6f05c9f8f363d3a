#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace svc {

/// A run as the store holds it. Words are those of the contract; the JSON texts have its shape. A value.
struct run {
  uuid id;
  std::optional<uuid> job{};
  std::optional<std::string> job_name{};
  std::optional<uuid> test{};  ///< the test of a run that executes a single test
  std::string job_type;
  std::string status;
  std::string trigger;
  std::string triggered_by;
  std::string parameters = "{}";
  std::string tests = "[]";  ///< [{id, title, status, durationMs?, errorDetails?}]
  std::int64_t test_count = 0;
  std::int64_t attempt = 0;  ///< claims so far
  timestamp queued_at;
  std::optional<timestamp> started_at{};
  std::optional<timestamp> completed_at{};
  std::optional<std::string> error_details{};
  std::optional<std::string> report_url{};
  std::int64_t version = 1;
  timestamp created_at;
  timestamp updated_at;
  /// True if the run was deleted and this record answers a retry of the request that created it. It then lacks
  /// parameters, tests, start and end times, and error details.
  bool deleted = false;
};

/// The progress of a run, which clients poll while they wait for its end. A value.
struct run_progress {
  uuid id;
  std::optional<uuid> job{};
  std::string status;
  std::optional<timestamp> started_at{};
  std::optional<timestamp> completed_at{};
  std::optional<std::string> error_details{};
  std::int64_t version = 1;
};

/// Returns the time from start to end in milliseconds, once both are known. The result is never negative, even if a
/// clock went back.
inline std::optional<std::int64_t> duration_ms(std::optional<timestamp> started, std::optional<timestamp> completed) {
  if (!started || !completed) return std::nullopt;
  auto const micros = (*completed - *started).count();
  return micros < 0 ? 0 : micros / 1000;
}

}  // namespace svc
