#include "svc/monitoring/notifications/schedule.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace svc::notifications {

using namespace std::chrono_literals;

namespace {

constexpr double spread = 0.2;
constexpr std::array<std::chrono::seconds, most_attempts - 1> pauses{5s, 30s, 2min, 5min, 15min, 30min, 1h, 2h, 4h};

milliseconds usual_pace(provider_config const& of) {
  switch (type_of(of)) {
    case provider_type::telegram:
      return std::get<telegram_config>(of).is_group() ? 3s : 1s;
    case provider_type::discord:
      return 2s;
    case provider_type::pagerduty:
      return 500ms;
    case provider_type::email:
    case provider_type::webhook:
      return 100ms;
    case provider_type::slack:
    case provider_type::teams:
      return 1s;
  }
  return 1s;
}

}  // namespace

std::optional<milliseconds> pause_after(unsigned attempt, outcome const& came, double fraction) {
  if (attempt == 0 || attempt > pauses.size()) return std::nullopt;
  auto const whole = static_cast<double>(milliseconds(pauses[attempt - 1]).count());
  milliseconds const pause(static_cast<milliseconds::rep>(whole * (1 - spread + 2 * spread * fraction)));
  return std::max(pause, came.not_before);
}

milliseconds pace_of(provider_config const& of, std::optional<unsigned> rate_per_minute) {
  auto const usual = usual_pace(of);
  if (!rate_per_minute || *rate_per_minute == 0) return usual;
  return std::max(usual, std::chrono::ceil<milliseconds>(milliseconds(1min) / *rate_per_minute));
}

milliseconds attempt_limit(provider_type of) {
  if (of == provider_type::email) return 30s;
  return of == provider_type::webhook ? 15s : 10s;
}

std::chrono::seconds group_time(provider_type of, std::optional<std::chrono::seconds> chosen) {
  if (of == provider_type::pagerduty) return 0s;
  return chosen.value_or(of == provider_type::webhook ? 0s : 30s);
}

}  // namespace svc::notifications
