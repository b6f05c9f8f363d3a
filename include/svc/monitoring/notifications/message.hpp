#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::notifications {

/// What an alert tells, by the contract's names. `outage_acknowledged` is no alert of the history: it tells PagerDuty
/// that somebody is at work.
enum class alert_type : std::uint8_t {
  monitor_failure,
  monitor_recovery,
  monitor_degraded,
  monitor_error,
  ssl_expiring,
  job_failed,
  job_timeout,
  job_success,
  job_recovered,
  provider_failing,
  outage_acknowledged,
};
inline constexpr std::size_t alert_type_count = static_cast<std::size_t>(alert_type::outage_acknowledged) + 1;

/// `monitor_failure`.
std::string_view name_of(alert_type type);
std::optional<alert_type> alert_type_named(std::string_view name);

/// What the alert is about, as it was named then. Texts are any UTF-8 that users gave.
struct alert_target {
  enum class kind : std::uint8_t { monitor, job, provider } state = kind::monitor;
  uuid id{};
  std::string name{};
  std::string monitor_type{};  ///< `http_request`; of monitors only
  std::string address{};       ///< a monitor's `target`; empty if it has none
};

/// As it is when the message is sent, so that a failure that was late says when it ended.
struct outage_facts {
  uuid id{};
  timestamp started_at{};
  std::optional<timestamp> ended_at{};
  std::string end_reason{};  ///< `recovered`, `paused`, `edited`, `resumed`, `deleted`; empty while it is open
};

/// Why a check failed: of its result, or the outage's cause. Masked already.
struct result_facts {
  std::string code{};  ///< `connect_refused`
  std::string message{};
  std::string location{};
  std::optional<int> status_code{};
  std::optional<std::int64_t> response_time_ms{};
  std::optional<timestamp> checked_at{};
};

struct run_facts {
  uuid id{};
  std::string status{};  ///< `failed`, `timed_out`, ...
  std::optional<std::int64_t> duration_ms{};
};

struct certificate_facts {
  std::string subject{};
  std::string fingerprint{};
  timestamp valid_to{};
  std::int64_t days_remaining = 0;  ///< zero or less: expired
};

/// One thing to tell. A value.
struct alert {
  uuid id{};
  alert_type type = alert_type::monitor_failure;
  /// Of `monitor_degraded` and `monitor_error`: the period has ended.
  bool ended = false;
  timestamp time{};       ///< when it was written
  unsigned reminder = 0;  ///< of a failure: which reminder; 0: none
  alert_target about{};
  /// What its begin and end share, for threads of mails and incidents of PagerDuty: the outage, the period, the job
  /// of a run, the provider. Of certificates it is the target.
  uuid thread{};
  std::optional<outage_facts> outage{};
  std::optional<result_facts> result{};
  std::optional<run_facts> run{};
  std::optional<certificate_facts> certificate{};
  std::vector<std::string> locations{};  ///< that vote down
  std::string custom_message{};          ///< of `alertConfig`
  std::string error{};                   ///< of `provider_failing`: the reason, `timeout`
};

struct project_facts {
  uuid id{};
  std::string slug{}, name{};
};

/// One sending: what one provider is told at once. A value.
struct message {
  uuid id{};  ///< the same in each attempt: `webhook-id`, `Message-ID`
  project_facts project{};
  /// In the order in which they were written, at least one. Of a test: `test_alert`.
  std::vector<alert> alerts{};
  bool test = false;
  bool maybe_repeated = false;  ///< an attempt before may have been taken; the text does not say so, the id does
};

/// What a test tells: a failure of a monitor that is none.
alert test_alert(uuid id, timestamp now);

}  // namespace svc::notifications
