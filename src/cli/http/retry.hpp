#pragma once

#include "cli/http/message.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace svc::cli {

/// The result of one try.
struct outcome {
  int status = 0;                                     ///< 0: no answer
  bool sent = false;                                  ///< the request may have reached the service
  bool transient = true;                              ///< for a try without an answer: another one may succeed
  std::string code{};                                 ///< of the service's error, `queue_full`
  std::optional<std::chrono::seconds> retry_after{};  ///< `Retry-After`, seconds or a date against `Date`
  std::optional<std::chrono::seconds> reset_after{};  ///< `X-RateLimit-Reset` against the answer's `Date`
};

/// The step after a try.
enum class next_step : std::uint8_t {
  over,           ///< the outcome is final
  wait,           ///< one more try after `retry_decision::wait`
  past_deadline,  ///< one more try would be right, but the wait ends after the command's deadline
  too_long,       ///< the service asks for more than `longest_wait`, and the command has no deadline
};

struct retry_decision {
  next_step step = next_step::over;
  std::chrono::milliseconds wait{};
  std::optional<std::chrono::seconds> asked{};  ///< the service's wait
};

/// Decides whether and when the client retries a request. Pure: times and random numbers are parameters. Each request
/// has one such value.
///
/// 429 and 409 `idempotency_in_progress` and `queue_full` are retried for every method, because they have no effect.
/// 502, 503, 504 and broken connections are retried for GET, HEAD, PUT, DELETE and for requests with an
/// `Idempotency-Key`. A request that was certainly not sent is always retried.
class retry_policy {
 public:
  static constexpr int most_tries = 4;
  /// The most retries of a whole command, which may send many requests.
  static constexpr int most_retries = 10;
  /// The longest wait without `--timeout`.
  static constexpr std::chrono::seconds longest_wait{120};

  explicit retry_policy(request const& r);

  /// The wait is never less than the service's wait and up to a fifth more. Without the service's wait, it is
  /// exponential with full jitter, 0.5 s doubled up to 20 s. `left` is the time until the command's deadline, if
  /// there is one. `fraction` is random, in [0, 1).
  retry_decision after(outcome const& o, std::optional<std::chrono::milliseconds> left, double fraction);
  int tries() const { return tries_; }
  bool safe_to_repeat() const { return safe_to_repeat_; }

 private:
  bool worth_another(outcome const& o) const;

  bool safe_to_repeat_;
  int tries_ = 1;
};

/// Returns a date of a field (RFC 9110, 5.6.7, in its three forms) in Unix seconds, or `std::nullopt` for nullptr and
/// a text that is no date.
std::optional<std::int64_t> http_date(std::string const* text);
/// Reads the waits in an answer. `Retry-After` is seconds or a date (RFC 9110, 10.2.3). Dates are relative to `Date`
/// and ignored without it, because the clocks of both ends may differ.
outcome outcome_of(answer const& a);

}  // namespace svc::cli
