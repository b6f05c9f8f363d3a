#pragma once

#include "cli/http/message.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace svc::cli {

/// What became of one try.
struct outcome {
  int status = 0;         ///< 0: no answer came
  bool sent = false;      ///< whether the request may have reached the service
  bool transient = true;  ///< of a try without an answer: whether another one can end otherwise
  std::string code{};     ///< of the service's error, `queue_full`
  std::optional<std::chrono::seconds> retry_after{};  ///< `Retry-After`, seconds or a date against `Date`
  std::optional<std::chrono::seconds> reset_after{};  ///< `X-RateLimit-Reset` against the answer's `Date`
};

/// What follows a try.
enum class next_step : std::uint8_t {
  over,           ///< the outcome stands
  wait,           ///< once more after `retry_decision::wait`
  past_deadline,  ///< once more would be right, but the wait ends behind the command's deadline
  too_long,       ///< the service asks for more than `longest_wait`, and no deadline was given
};

struct retry_decision {
  next_step step = next_step::over;
  std::chrono::milliseconds wait{};
  std::optional<std::chrono::seconds> asked{};  ///< by the service
};

/// Decides whether a request is tried again, and when. Pure: time and random numbers are handed in. A value; one for
/// each request.
///
/// 429 and 409 `idempotency_in_progress` and `queue_full` are retried for every method, because nothing has happened;
/// 502, 503, 504 and connections that broke for GET, HEAD, PUT, DELETE and for requests with an `Idempotency-Key`. A
/// request that was certainly not sent is retried whatever it is.
class retry_policy {
 public:
  static constexpr int most_tries = 4;
  /// Retries of a whole command, which may send many requests.
  static constexpr int most_retries = 10;
  /// Without `--timeout` no longer wait is begun.
  static constexpr std::chrono::seconds longest_wait{120};

  explicit retry_policy(request const& r);

  /// The wait is never less than the service asked for and up to a fifth more; without its word, exponential with
  /// full jitter, 0.5 s doubled up to 20 s. `left`: until the command's deadline, if it has one. `fraction`: random,
  /// in [0, 1).
  retry_decision after(outcome const& o, std::optional<std::chrono::milliseconds> left, double fraction);
  int tries() const { return tries_; }
  bool safe_to_repeat() const { return safe_to_repeat_; }

 private:
  bool worth_another(outcome const& o) const;

  bool safe_to_repeat_;
  int tries_ = 1;
};

/// A date of a field (RFC 9110, 5.6.7, in its three forms) in Unix seconds; nothing for nullptr and what is no date.
std::optional<std::int64_t> http_date(std::string const* text);
/// What an answer says of a wait. `Retry-After` is seconds or a date (RFC 9110, 10.2.3), dates are read against
/// `Date` and ignored without it: the clocks of both ends may differ.
outcome outcome_of(answer const& a);

}  // namespace svc::cli
