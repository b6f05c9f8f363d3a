#include "svc/checks/certificate_warning.hpp"

namespace svc::checks {

std::optional<std::uint32_t> passed_threshold(certificate const& of, std::span<std::uint32_t const> days,
                                              timestamp now) {
  if (now >= of.valid_to) return 0;
  auto const left = of.valid_to - now, lifetime = of.valid_to - of.valid_from;
  std::optional<std::uint32_t> out;
  for (auto const threshold : days) {
    std::chrono::microseconds const limit = std::chrono::days(threshold);
    if (limit * 3 < lifetime && left <= limit && (!out || threshold < *out)) out = threshold;
  }
  return out;
}

}  // namespace svc::checks
