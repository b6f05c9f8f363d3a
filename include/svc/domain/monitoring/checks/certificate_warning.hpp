#pragma once

#include "svc/core/uuid.hpp"
#include "svc/domain/monitoring/checks/result.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace svc::checks {

/// Returns the smallest threshold (`sslWarningDays`, or one of `sslDaysUntilExpirationWarning`) that the certificate
/// has passed: that many days or fewer are left. Returns 0, whatever the thresholds are, once it has expired. Returns
/// `std::nullopt` if the certificate has passed none.
///
/// Only thresholds below a third of the certificate's lifetime count, so that a certificate of six days, renewed
/// every three, causes no warning. Pure; a warning is sent once for each fingerprint and threshold.
std::optional<std::uint32_t> passed_threshold(certificate const& certificate, std::span<std::uint32_t const> days,
                                              timestamp now);

/// The fact that a certificate has passed a threshold. A value.
struct certificate_warning {
  certificate certificate{};
  std::uint32_t threshold = 0;  ///< days
};

/// Returns the id of a warning, made from monitor, fingerprint and threshold. The id is the same at any time and in
/// any process.
uuid id_of(uuid const& monitor, certificate_warning const& warning);

}  // namespace svc::checks
