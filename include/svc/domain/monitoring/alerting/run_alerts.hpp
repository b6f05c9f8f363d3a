#pragma once

#include "svc/domain/monitoring/alerting/monitor.hpp"

#include <cstdint>
#include <optional>
#include <vector>

// Which alerts the end of a job's run makes. Pure.

namespace svc::alerting {

/// `alertConfig` of a job whose alerts are enabled.
struct job_alert_settings {
  bool on_failure = true, on_success = false, on_timeout = true, on_recovery = false;
  std::int64_t failure_threshold = 1, recovery_threshold = 1;
  std::vector<provider> providers{};
};

/// Runs of a job in a row, in the order in which they ended. Cancelled runs are none of them.
struct run_streak {
  std::int64_t failures = 0;  ///< failed, error and timed_out
  std::int64_t passes = 0;
  std::vector<provider> notified{};  ///< of a failure since the newest pass, each once; deleted ones are left out
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

/// Counts a run that ended. Failures are told from `failure_threshold` in a row on, passes from `recovery_threshold`
/// on, a run that took too long each time. The first pass after a failure that was told is the recovery: it goes to
/// those who were told, as far as that is asked for, and to a provider that keeps what it was told open until it is
/// resolved in any case.
counted_run count_run(job_alert_settings const& settings, run_streak before, run_end ended);

}  // namespace svc::alerting
