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

/// The outcome of an attempt, with the contract's names: the fixed list that users see. Bodies of answers are never
/// shown.
enum class reason : std::uint8_t {
  delivered,              ///< accepted
  invalid_config,         ///< the provider's configuration does not allow sending
  address_blocked,        ///< policy forbids sending messages to this address
  dns_failed,             ///< the name has no address
  connect_failed,         ///< no connection, or it ended before the answer
  tls_failed,             ///< no TLS, or the certificate does not verify
  timeout,                ///< no answer in time
  auth_failed,            ///< 401, 403; SMTP 530, 534, 535, 538
  refused,                ///< undocumented answer: 404, 405, 410, 5xx, SMTP 4xx
  rejected,               ///< the message itself is not accepted: 400, 413, 422, SMTP 5xx
  rate_limited,           ///< 429
  smtp_unconfigured,      ///< the operator has no `smtp.url`
  mail_limit_reached,     ///< the project's daily limit of mails or the address's hourly limit is used up
  recipient_not_allowed,  ///< `notifications.mail_recipients` does not allow the address
};
inline constexpr std::size_t reason_count = static_cast<std::size_t>(reason::recipient_not_allowed) + 1;
std::string_view name_of(reason reason);
/// Returns a sentence for users.
std::string_view sentence_of(reason reason);

enum class fate : std::uint8_t { taken, retry, dead };

/// The consequence of an attempt for its message and provider.
struct outcome {
  fate state = fate::retry;
  reason cause = reason::connect_failed;
  std::optional<int> status{};  ///< status of HTTP or SMTP, if an answer arrived
  /// Pause that the provider requests, counted from now: `Retry-After`, `retry_after`, or `X-RateLimit-Reset-After`
  /// when nothing remains. At most an hour. Also set for an accepted message.
  milliseconds not_before{0};
  bool gone = false;  ///< 410: the provider must be disabled

  friend bool operator==(outcome const&, outcome const&) = default;
};

/// Returns the sentence of the cause, and the status of an answer that was no delivery: `message` in the answer of a
/// test.
std::string sentence_of(outcome const& came);

/// Interprets an HTTP answer's head and the part of its body that was read. The names in `fields` are in lower case.
/// `now` is needed for `Retry-After` with a date. Pure and total.
outcome read_answer(provider_type type, int status, std::vector<std::pair<std::string, std::string>> const& fields,
                    std::string_view body, timestamp now);

/// Returns the outcome of an attempt without an answer.
outcome outcome_of(egress::failure failure);

/// Returns the outcome of one mail. A 5xx reply is final once the session exists; before that, it concerns the mail
/// service and not the mail, like a refused login. Pure and total.
outcome read_reply(egress::mail_answer const& came);

}  // namespace svc::notifications
