#pragma once

#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/cron.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace svc::heartbeats {

/// `config` of a monitor of type heartbeat. A value.
struct heartbeat_config {
  // The due times of pings, by a period or a schedule; exactly one is set.
  std::optional<std::chrono::seconds> every{};
  std::optional<cron_schedule> cron{};
  std::string time_zone = "UTC";  ///< of `cron`
  std::chrono::seconds grace{300};
  std::optional<std::chrono::seconds> start_grace{};  ///< empty: no start signal is expected
  std::optional<std::chrono::seconds> longest_run{};  ///< `maxDurationSeconds`
  std::chrono::seconds early{60};                     ///< a ping this long before a time of `cron` counts for it
  bool only_post = false;                             ///< because link previews and scanners send GET

  /// Returns the first due time after `moment`. `every` counts from `start`. Returns `std::nullopt` if the
  /// schedule names no further time.
  std::optional<timestamp> due_after(timestamp moment, timestamp start) const;
};

/// Reads `config`; a null member counts as missing. Fails with `validation_failed` and a JSON pointer into
/// the monitor (`/config/schedule/cron`) for each fault. Total.
result<heartbeat_config> parse_heartbeat(boost::json::object const& config);

}  // namespace svc::heartbeats
