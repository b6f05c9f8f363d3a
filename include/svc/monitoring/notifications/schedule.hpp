#pragma once

#include "svc/core/deadline.hpp"
#include "svc/monitoring/notifications/answer.hpp"
#include "svc/monitoring/notifications/provider.hpp"

#include <optional>

namespace svc::notifications {

inline constexpr unsigned most_attempts = 10;

/// How long after the `attempt`th one (from 1) that is to be repeated the next begins: 5 s, 30 s, 2 min, 5 min, 15
/// min, 30 min, 1 h, 2 h, 4 h, each ±20 %, and never earlier than the provider asked for. Nothing: that was the last.
/// `fraction`: random, in [0, 1). Pure.
std::optional<milliseconds> pause_after(unsigned attempt, outcome const& came, double fraction);

/// How long after a message's start the next may start at the same provider: 1 s for slack, teams and a chat of
/// telegram, 3 s for its groups, 2 s for discord, 500 ms for pagerduty, 100 ms for webhook and email, or more by
/// `rate_per_minute`.
milliseconds pace_of(provider_config const& config, std::optional<unsigned> rate_per_minute);

/// How long an attempt may take: 15 s webhook, 30 s email, 10 s others.
milliseconds attempt_limit(provider_type type);

/// For how long after the last start further alerts wait to go as one, unless the provider says otherwise
/// (`groupSeconds`): 30 s for mail and chats, none for webhook; pagerduty never groups, whatever is said.
std::chrono::seconds group_time(provider_type type, std::optional<std::chrono::seconds> chosen);

}  // namespace svc::notifications
