#pragma once

#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// What users set of a job. Words are those of the contract; the JSON texts have its shape. A value.
struct job_settings {
  std::string name;
  std::optional<std::string> description{};
  std::string job_type = "playwright";  ///< playwright, k6 or command; never changes
  std::vector<uuid> tests{};            ///< in the order in which they run
  std::optional<std::string> cron_schedule{};
  std::string time_zone = "UTC";
  bool enabled = true;
  std::int64_t timeout_seconds = 3600;
  std::optional<std::int64_t> max_concurrent_runs{};
  std::string parameters = "[]";              ///< [{name, required, default?}]
  std::optional<std::string> alert_config{};  ///< an object, complete
  std::vector<uuid> alert_providers{};        ///< those that `alert_config` names
};

/// The newest run of a job.
struct last_run {
  uuid id;
  std::string status;
  timestamp queued_at;
  std::optional<timestamp> started_at{};
  std::optional<timestamp> completed_at{};
};

/// A job as it is stored. A value.
struct job {
  uuid id;
  job_settings set;
  std::optional<last_run> last{};
  std::optional<timestamp> next_run_at{};
  uuid created_by;
  std::int64_t version = 1;
  timestamp created_at;
  timestamp updated_at;

  /// The status of the last run; `pending` when there was none.
  std::string_view status() const { return last ? std::string_view(last->status) : "pending"; }
};

/// The one type of job that runs tests of this type.
std::string_view job_type_for(std::string_view test_type);

/// A test that exists in the job's project.
struct known_test {
  uuid id;
  std::string type;
};

/// What a schema cannot say: that the zone exists, and that no parameter (by its name, in the order of
/// `wanted.parameters`) or alert provider is repeated. `validation_failed` with a pointer to each fault.
result<> check_job(job_settings const& wanted, std::vector<std::string> const& parameters);

/// Whether the job's tests are known, of a fitting type and not repeated: `validation_failed` with a pointer to each
/// that is not.
result<> check_job_tests(job_settings const& wanted, std::vector<known_test> const& known);

/// When the schedule triggers next; nothing for a job that is off or has no schedule.
std::optional<timestamp> next_run(job_settings const& settings, timestamp now);

}  // namespace svc
