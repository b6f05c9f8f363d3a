#pragma once

#include "svc/core/deadline.hpp"
#include "svc/monitoring/notifications/answer.hpp"
#include "svc/monitoring/notifications/provider.hpp"

#include <optional>

namespace svc::notifications {

inline constexpr unsigned most_attempts = 10;

/// Returns the pause after attempt number `attempt` (from 1) before the retry: 5 s, 30 s, 2 min, 5 min, 15 min, 30
/// min, 1 h, 2 h, 4 h, each ±20 %. The pause is never shorter than the provider requested. Returns `std::nullopt`
/// after the last attempt. `fraction` is random, in [0, 1). Pure.
std::optional<milliseconds> pause_after(unsigned attempt, outcome const& came, double fraction);

/// Returns the minimum time between the starts of two messages to the same provider. Chats: 1 s for slack, teams and
/// a chat of telegram, 3 s for telegram's groups, 2 s for discord. Others: 500 ms for pagerduty, 100 ms for webhook
/// and email. `rate_per_minute` may make the time longer.
milliseconds pace_of(provider_config const& config, std::optional<unsigned> rate_per_minute);

/// Returns the time limit of an attempt: 15 s webhook, 30 s email, 10 s others.
milliseconds attempt_limit(provider_type type);

/// Returns the time after the start of a message for which further alerts wait, so that they are sent together.
/// `groupSeconds` of the provider overrides it. It is 30 s for mail and chats, none for webhook. pagerduty never
/// groups, even with `groupSeconds`.
std::chrono::seconds group_time(provider_type type, std::optional<std::chrono::seconds> chosen);

}  // namespace svc::notifications
