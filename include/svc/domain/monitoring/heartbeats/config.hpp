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
  // When pings are due: so long after the last one, or by a schedule. One of both.
  std::optional<std::chrono::seconds> every{};
  std::optional<cron_schedule> cron{};
  std::string time_zone = "UTC";  ///< of `cron`
  std::chrono::seconds grace{300};
  std::optional<std::chrono::seconds> start_grace{};  ///< nothing: a start need not be told
  std::optional<std::chrono::seconds> longest_run{};  ///< `maxDurationSeconds`
  std::chrono::seconds early{60};                     ///< a ping before a time of `cron` counts for it
  bool only_post = false;                             ///< previews of links and scanners send GET

  /// The first due time after `moment`. `start` is the moment that `every` counts from. Nothing when a schedule names
  /// no further time.
  std::optional<timestamp> due_after(timestamp moment, timestamp start) const;
};

/// Reads `config`; a member that is null is as if it was left out. `validation_failed` with a JSON pointer into the
/// monitor (`/config/schedule/cron`) for each fault. Total.
result<heartbeat_config> parse_heartbeat(boost::json::object const& config);

}  // namespace svc::heartbeats
