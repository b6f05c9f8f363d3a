#pragma once

#include "svc/monitoring/notifications/message.hpp"

#include <string>
#include <string_view>

// Puts one alert into words, in the same way for all types of providers.

namespace svc::notifications {

/// The action of an incident tool on an alert.
enum class action : std::uint8_t { trigger, resolve, acknowledge };
std::string_view name_of(action kind);

/// Returns true for a failure whose outage ended before the message was sent.
bool is_past(alert const& alert);
/// Returns true if the alert starts trouble or reports that something is wrong; false for an end or good news.
bool is_bad(alert const& alert);
action action_of(alert const& alert);
/// Returns `DOWN`, `UP`, `WAS DOWN`, `FAILED`, ...
std::string_view tag_of(alert const& alert);
/// Returns `down`, `up`, `degraded`, `error`, `expiring`, `failed`, `timed_out`, `passed`, `failing` or `posted`.
std::string_view status_of(alert const& alert);
/// Returns `critical`, `warning` or `info`.
std::string_view severity_of(alert const& alert);
/// Returns the key that an alert and its opposite share, by which PagerDuty and templates identify both.
std::string dedup_key_of(alert const& alert);
/// Returns a name like `monitor.failure`.
std::string event_type_of(alert_type type);
/// Returns `monitor`, `job`, `provider` or `status_page`.
std::string_view name_of(alert_target::kind kind);
/// Returns the known cause of the alert; empty if none is known.
std::string cause_of(alert const& alert);
/// Returns the name on one line, with at most 255 characters.
std::string name_in_text(alert_target const& target);

}  // namespace svc::notifications
