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

/// The settings of a job that its users choose. Words are those of the contract; the JSON texts have its form. A
/// value.
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
  std::vector<uuid> alert_providers{};        ///< the providers that `alert_config` names
};

/// The newest run of a job.
struct last_run {
  uuid id;
  std::string status;
  timestamp queued_at;
  std::optional<timestamp> started_at{};
  std::optional<timestamp> completed_at{};
};

/// A job in its stored form. A value.
struct job {
  uuid id;
  job_settings set;
  std::optional<last_run> last{};
  std::optional<timestamp> next_run_at{};
  uuid created_by;
  std::int64_t version = 1;
  timestamp created_at;
  timestamp updated_at;

  /// Returns the status of the last run, or `pending` when there was none.
  std::string_view status() const { return last ? std::string_view(last->status) : "pending"; }
};

/// Returns the only type of job that runs tests of this type.
std::string_view job_type_for(std::string_view test_type);

/// A test that exists in the job's project.
struct known_test {
  uuid id;
  std::string type;
};

/// Checks the rules that a schema cannot express: the zone exists, and no parameter or alert provider is repeated.
/// `parameters` has the names of `wanted.parameters` in order. Returns `validation_failed` with a pointer to each
/// fault.
result<> check_job(job_settings const& wanted, std::vector<std::string> const& parameters);

/// Checks that the job's tests are known, of a fitting type and not repeated. Returns `validation_failed` with a
/// pointer to each test that is not.
result<> check_job_tests(job_settings const& wanted, std::vector<known_test> const& known);

/// Returns the time of the schedule's next trigger, or `std::nullopt` for a job that is disabled or has no schedule.
std::optional<timestamp> next_run(job_settings const& settings, timestamp now);

}  // namespace svc
