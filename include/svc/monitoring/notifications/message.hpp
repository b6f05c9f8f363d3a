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

/// The subject of an alert, with the contract's names. `outage_acknowledged` does not appear in the alert history; it
/// tells PagerDuty that somebody is working on the outage.
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
  status_page_post,
};
inline constexpr std::size_t alert_type_count = static_cast<std::size_t>(alert_type::status_page_post) + 1;

/// Returns `monitor_failure` and so on.
std::string_view name_of(alert_type type);
std::optional<alert_type> alert_type_named(std::string_view name);

/// The object of an alert, with the name that it had then. Texts are any UTF-8 from users.
struct alert_target {
  enum class kind : std::uint8_t { monitor, job, provider, status_page } state = kind::monitor;
  uuid id{};
  std::string name{};
  std::string monitor_type{};  ///< `http_request`; only for monitors
  std::string address{};       ///< a monitor's `target`; empty if it has none
};

/// The state of the outage when the message is sent, so that a late failure message contains the end.
struct outage_facts {
  uuid id{};
  timestamp started_at{};
  std::optional<timestamp> ended_at{};
  std::string end_reason{};  ///< `recovered`, `paused`, `edited`, `resumed`, `deleted`; empty while it is open
};

/// The cause of a failure: from its result, or from the outage. Already masked.
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

/// One alert to send. A value.
struct alert {
  uuid id{};
  alert_type type = alert_type::monitor_failure;
  /// For `monitor_degraded` and `monitor_error`: true if the period has ended.
  bool ended = false;
  timestamp time{};       ///< time at which it was written
  unsigned reminder = 0;  ///< number of the reminder of a failure; 0: not a reminder
  alert_target about{};
  /// The id that the alerts of a start and of its end share, for mail threads and incidents of PagerDuty. It is the
  /// id of the outage, the period, the run's job or the provider; for certificates, the id of the target.
  uuid thread{};
  std::optional<outage_facts> outage{};
  std::optional<result_facts> result{};
  std::optional<run_facts> run{};
  std::optional<certificate_facts> certificate{};
  std::vector<std::string> locations{};  ///< locations that vote down
  std::string custom_message{};          ///< text from `alertConfig`; for `status_page_post`: the text of the post
  std::string post_title{};              ///< for `status_page_post`: `[Identified] Checkout fails`
  std::string error{};                   ///< for `provider_failing`: the reason, `timeout`
};

struct project_facts {
  uuid id{};
  std::string slug{}, name{};
};

/// One sending: the alerts that one provider gets at once. A value.
struct message {
  uuid id{};  ///< the same in each attempt: `webhook-id`, `Message-ID`
  project_facts project{};
  /// At least one alert, in the order of writing. A test has only `test_alert`.
  std::vector<alert> alerts{};
  bool test = false;
  bool maybe_repeated = false;  ///< an earlier attempt may have been accepted; only the id shows this, not the text
};

/// Returns the alert of a test: a failure of a monitor that does not exist.
alert test_alert(uuid id, timestamp now);

}  // namespace svc::notifications
