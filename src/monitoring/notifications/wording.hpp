#pragma once

#include "svc/monitoring/notifications/message.hpp"

#include <string>
#include <string_view>

// How one alert is put into words: in all types of providers the same.

namespace svc::notifications {

/// What an incident tool does with it.
enum class action : std::uint8_t { trigger, resolve, acknowledge };
std::string_view name_of(action kind);

/// A failure whose outage has ended before it could be told.
bool is_past(alert const& alert);
/// Begins, or says that something is wrong; false: an end, or good news.
bool is_bad(alert const& alert);
action action_of(alert const& alert);
/// `DOWN`, `UP`, `WAS DOWN`, `FAILED`, ...
std::string_view tag_of(alert const& alert);
/// `down`, `up`, `degraded`, `error`, `expiring`, `failed`, `timed_out`, `passed`, `failing`.
std::string_view status_of(alert const& alert);
/// `critical`, `warning` or `info`.
std::string_view severity_of(alert const& alert);
/// Of an alert and its opposite: what PagerDuty and templates know them by.
std::string dedup_key_of(alert const& alert);
/// `monitor.failure`.
std::string event_type_of(alert_type type);
/// `monitor`, `job`, `provider`.
std::string_view name_of(alert_target::kind kind);
/// What is known of why; empty: nothing.
std::string cause_of(alert const& alert);
/// The name, on one line and of at most 255 characters.
std::string name_in_text(alert_target const& target);

}  // namespace svc::notifications
