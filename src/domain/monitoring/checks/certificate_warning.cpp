#include "svc/domain/monitoring/checks/certificate_warning.hpp"

#include "svc/core/hash.hpp"

#include <algorithm>
#include <string>

namespace svc::checks {

std::optional<std::uint32_t> passed_threshold(certificate const& certificate, std::span<std::uint32_t const> days,
                                              timestamp now) {
  if (now >= certificate.valid_to) return 0;
  auto const left = certificate.valid_to - now, lifetime = certificate.valid_to - certificate.valid_from;
  std::optional<std::uint32_t> out;
  for (auto const threshold : days) {
    std::chrono::microseconds const limit = std::chrono::days(threshold);
    if (limit * 3 < lifetime && left <= limit && (!out || threshold < *out)) out = threshold;
  }
  return out;
}

uuid id_of(uuid const& monitor, certificate_warning const& warning) {
  auto const digest =
      sha256(monitor.to_string() + ' ' + warning.certificate.fingerprint + ' ' + std::to_string(warning.threshold));
  uuid out;
  std::copy_n(digest.begin(), out.bytes.size(), out.bytes.begin());
  // RFC 9562 5.8: version 8, a form of our own.
  out.bytes[6] = static_cast<std::uint8_t>((out.bytes[6] & 0x0f) | 0x80);
  out.bytes[8] = static_cast<std::uint8_t>((out.bytes[8] & 0x3f) | 0x80);
  return out;
}

}  // namespace svc::checks
