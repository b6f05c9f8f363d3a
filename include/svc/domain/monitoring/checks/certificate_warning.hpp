#pragma once

#include "svc/core/uuid.hpp"
#include "svc/domain/monitoring/checks/result.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace svc::checks {

/// The least of the thresholds (`sslWarningDays`, or one of `sslDaysUntilExpirationWarning`) that the certificate has
/// passed: so many days or fewer are left. 0, whatever the thresholds are, once it has expired. Only thresholds below
/// a third of the certificate's lifetime count, so that one of six days, renewed each three, warns nobody. Nothing if
/// none is passed. Pure; a warning is told once for each fingerprint and threshold.
std::optional<std::uint32_t> passed_threshold(certificate const& certificate, std::span<std::uint32_t const> days,
                                              timestamp now);

/// That a certificate has passed a threshold. A value.
struct certificate_warning {
  certificate certificate{};
  std::uint32_t threshold = 0;  ///< days
};

/// What tells a warning from all others: monitor, fingerprint and threshold. The same at any time and place.
uuid id_of(uuid const& monitor, certificate_warning const& warning);

}  // namespace svc::checks
