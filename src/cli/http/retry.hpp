#pragma once

#include "cli/http/message.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace svc::cli {

/// What became of one try.
struct outcome {
  int status = 0;      ///< 0: no answer came
  bool sent = false;   ///< whether the request may have reached the service
  std::string code{};  ///< of the service's error, `queue_full`
  std::optional<std::chrono::seconds>
      retry_after{};  ///< `Retry-After`, seconds or a date (RFC 9110, 10.2.3) read against `Date`
  std::optional<std::chrono::seconds> reset_after{};  ///< `X-RateLimit-Reset` against the answer's `Date`
};

/// Decides whether a request is tried again, and when. Pure: time and random numbers are handed in. A value; one for
/// each request.
///
/// 429 is retried for every method, because nothing has happened; 503 and connections that broke for GET, HEAD, PUT,
/// DELETE and for requests with an `Idempotency-Key`; 409 `idempotency_in_progress` and `queue_full` too. A request
/// that was certainly not sent is retried whatever it is.
class retry_policy {
 public:
  static constexpr int most_tries = 4;

  retry_policy(request const& r);

  /// Nothing: give up. Otherwise how long to wait: never less than the service asked for and up to a fifth more;
  /// without its word, exponential with full jitter. `left`: until the command's deadline; a wait that does not fit
  /// is not begun. `fraction`: random, in [0, 1).
  std::optional<std::chrono::milliseconds> after(outcome const& o, std::chrono::milliseconds left, double fraction);
  int tries() const { return tries_; }

 private:
  bool safe_to_repeat_;
  int tries_ = 1;
};

/// What an answer says of a wait.
outcome outcome_of(answer const& a);

}  // namespace svc::cli
