#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/egress/failure.hpp"
#include "svc/egress/mail/mail_client.hpp"
#include "svc/monitoring/notifications/provider.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::notifications {

/// What came of an attempt, by the contract's names: the fixed list that users see. Bodies of answers are never
/// shown.
enum class reason : std::uint8_t {
  delivered,              ///< taken
  invalid_config,         ///< it cannot be sent as the provider is configured
  address_blocked,        ///< the address is not open to messages
  dns_failed,             ///< its name has no address
  connect_failed,         ///< no connection, or it ended before the answer
  tls_failed,             ///< no TLS, or the certificate does not verify
  timeout,                ///< no answer in time
  auth_failed,            ///< 401, 403; SMTP 530, 534, 535, 538
  refused,                ///< another answer than the documented: 404, 405, 410, 5xx, SMTP 4xx
  rejected,               ///< the message itself is not taken: 400, 413, 422, SMTP 5xx
  rate_limited,           ///< 429
  smtp_unconfigured,      ///< the operator has no `smtp.url`
  mail_limit_reached,     ///< the project's mails of the day or the address's mails of the hour are used up
  recipient_not_allowed,  ///< `notifications.mail_recipients` does not allow the address
};
inline constexpr std::size_t reason_count = static_cast<std::size_t>(reason::recipient_not_allowed) + 1;
std::string_view name_of(reason reason);
/// For users: `message` of a test's answer.
std::string_view sentence_of(reason reason);

enum class fate : std::uint8_t { taken, retry, dead };

/// What an attempt means for its message and provider.
struct outcome {
  fate state = fate::retry;
  reason cause = reason::connect_failed;
  std::optional<int> status{};  ///< of HTTP or SMTP, if an answer came
  /// The provider asks that nothing is sent to it for so long, counted from now: `Retry-After`, `retry_after`,
  /// `X-RateLimit-Reset-After` when nothing remains. At most an hour. Also of a message that was taken.
  milliseconds not_before{0};
  bool gone = false;  ///< 410: the provider is to be disabled

  friend bool operator==(outcome const&, outcome const&) = default;
};

/// Of an HTTP answer's head and as much of its body as was read. `fields`: names in lower case. `now`: for
/// `Retry-After` with a date. Pure and total.
outcome read_answer(provider_type type, int status, std::vector<std::pair<std::string, std::string>> const& fields,
                    std::string_view body, timestamp now);

/// Of an attempt that got no answer.
outcome outcome_of(egress::failure failure);

/// Of one mail. A reply of 5xx is final once the session stood, before that it is said of the service and not of the
/// mail; so is a refused login. Pure and total.
outcome read_reply(egress::mail_answer const& came);

}  // namespace svc::notifications
