#include "svc/monitoring/notifications/schedule.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace svc::notifications {

using namespace std::chrono_literals;

namespace {

constexpr double spread = 0.2;
constexpr std::array<std::chrono::seconds, most_attempts - 1> pauses{5s, 30s, 2min, 5min, 15min, 30min, 1h, 2h, 4h};

}  // namespace

std::optional<milliseconds> pause_after(unsigned attempt, outcome const& came, double fraction) {
  if (attempt == 0 || attempt > pauses.size()) return std::nullopt;
  auto const whole = static_cast<double>(milliseconds(pauses[attempt - 1]).count());
  milliseconds const pause(static_cast<milliseconds::rep>(whole * (1 - spread + 2 * spread * fraction)));
  return std::max(pause, came.not_before);
}

}  // namespace svc::notifications
