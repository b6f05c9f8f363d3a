#pragma once

#include "svc/domain/monitoring/alerting/monitor.hpp"

#include <cstdint>
#include <optional>
#include <vector>

// The alerts that the end of a job's run causes. Pure.

namespace svc::alerting {

/// `alertConfig` of a job whose alerts are enabled.
struct job_alert_settings {
  bool on_failure = true, on_success = false, on_timeout = true, on_recovery = false;
  std::int64_t failure_threshold = 1, recovery_threshold = 1;
  std::vector<provider> providers{};
};

/// The newest consecutive runs of a job, in the order of their ends. Cancelled runs do not count.
struct run_streak {
  std::int64_t failures = 0;  ///< failed, error and timed_out
  std::int64_t passes = 0;
  std::vector<provider> notified{};  ///< of a failure since the newest pass, without duplicates and deleted providers
};

enum class run_end : std::uint8_t { passed, failed, error, timed_out };
enum class run_alert_type : std::uint8_t { job_failed, job_timeout, job_success, job_recovered };

/// An alert for one provider. The run, `type` and provider together are its key.
struct run_alert {
  run_alert_type type;
  uuid id{};
  std::optional<suppression> suppressed{};

  friend bool operator==(run_alert const&, run_alert const&) = default;
};

struct counted_run {
  run_streak after{};
  std::vector<run_alert> alerts{};
};

/// Counts a run that ended. Failures are notified from `failure_threshold` consecutive ones on, passes from
/// `recovery_threshold` on, timeouts each time. The first pass after a notified failure is the recovery.
/// Notified providers get it if `on_recovery` is set; a provider that `resolves` always gets it.
counted_run count_run(job_alert_settings const& settings, run_streak before, run_end ended);

}  // namespace svc::alerting
