#pragma once

#include "svc/core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::checks {

/// The status at the end of a check. Numbers are stored in packed hours: only append.
enum class status : std::uint8_t { up, down, timeout, error };
inline constexpr std::uint8_t status_count = 4;

/// The conclusion of a result about the target. A fault of our own is inconclusive (`none`).
enum class conclusion : std::uint8_t { none, good, bad };

/// The reason why a check did not end well (`error.code`). Numbers are stored in packed hours: only append.
enum class code : std::uint8_t {
  // down
  dns_not_found,
  dns_failed,
  dns_mismatch,
  connect_refused,
  connect_reset,
  connect_unreachable,
  tls_failed,
  certificate_expired,
  certificate_not_yet_valid,
  certificate_untrusted,
  certificate_wrong_host,
  certificate_revoked,
  http_invalid,
  body_incomplete,
  status_unexpected,
  assertion_failed,  ///< also the keyword and `responseBodyJsonPath`
  redirect_limit,
  redirect_refused,
  ping_no_reply,
  ping_loss,
  port_open,
  test_failed,
  heartbeat_failed,
  heartbeat_missed,
  heartbeat_not_started,
  ran_too_long,
  // timeout
  dns_timeout,
  connect_timeout,
  tls_timeout,
  first_byte_timeout,
  body_timeout,
  udp_no_reply,
  test_timeout,
  // error
  address_blocked,
  variable_missing,
  target_invalid,
  resolver_unreachable,
  location_impaired,
  capability_missing,
  no_location,
  test_missing,
  executor_lost,
  internal,
};
inline constexpr std::uint8_t code_count = static_cast<std::uint8_t>(code::internal) + 1;

/// The properties of a code, in the one table of `result.cpp`.
struct code_row {
  code which;
  status gives;
  std::string_view name;     ///< as `error.code` spells it
  std::string_view message;  ///< the problem and its remedy; used when there is no more specific message
};

code_row const& row_of(code which);
std::optional<code> code_named(std::string_view name);
std::string_view name_of(status s);
conclusion conclusion_of(status s);

/// The failure of a check. `message` is shown to users and stored: in a result it is the result of `masked_message`.
struct failure {
  code which;
  std::string message{};

  explicit failure(code c) : which(c), message(row_of(c).message) {}
  failure(code c, std::string text) : which(c), message(std::move(text)) {}
};

/// Milliseconds of each phase of an attempt; empty for a phase that did not occur.
struct timings {
  std::optional<std::uint32_t> dns_ms{}, connect_ms{}, tls_ms{}, first_byte_ms{}, transfer_ms{};
  friend bool operator==(timings const&, timings const&) = default;
};

/// The server's own certificate.
struct certificate {
  std::string issuer, subject;
  timestamp valid_from, valid_to;
  std::string fingerprint;  ///< SHA-256, lower-case hex

  /// Returns the whole days until the certificate expires, rounded down; negative once it has.
  std::int64_t days_left(timestamp now) const;

  friend bool operator==(certificate const&, certificate const&) = default;
};

/// An assertion that did not hold: its position in the list, and the actual value (`longest_actual` bytes).
struct failed_assertion {
  std::size_t index;
  std::string actual;
};

struct header {
  std::string name, value;
};

/// The results of echo requests.
struct ping_facts {
  std::uint32_t sent = 0, received = 0;
  std::optional<double> min_ms{}, max_ms{};  ///< empty without a reply

  /// Returns the loss in percent, rounded up to a whole number: below 100 only if there was a reply.
  std::uint32_t loss_percent() const;
};

/// The response of a DNS server.
struct dns_facts {
  std::string rcode{};                 ///< such as `NOERROR`
  std::vector<std::string> answers{};  ///< sorted, in the presentation form of master files
};

/// The facts about a check in addition to its outcome.
struct details {
  std::optional<int> status_code{};
  std::optional<failure> error{};
  std::optional<timings> phases{};
  std::optional<std::string> ip_address{};
  std::optional<std::string> http_version{};  ///< such as `1.1` or `2`
  std::optional<int> redirects{};
  std::optional<std::uint64_t> body_bytes{};
  bool truncated = false;  ///< the body was longer than `maxBodyBytes`
  std::optional<failed_assertion> assertion{};
  std::optional<certificate> tls{};
  std::optional<ping_facts> ping{};
  std::optional<dns_facts> dns{};
  std::string_view proof{};  ///< a constant: the reason why the target is up if no answer proves it
  std::vector<header> response_headers{};
  std::optional<std::string> body_snippet{};
};

// Limits of `details`, in bytes.
inline constexpr std::size_t longest_details = 8UL * 1024;  ///< all of it, as JSON
inline constexpr std::size_t longest_message = 500;
inline constexpr std::size_t longest_actual = 256;
inline constexpr std::size_t longest_snippet = 1024;
inline constexpr std::size_t longest_headers = 4UL * 1024;  ///< names and values together
inline constexpr std::size_t longest_answers = 1024;        ///< of DNS, all together

/// The result of a check, from one location. A value.
struct result_of_check {
  status ended = status::up;
  bool degraded = false;  ///< up, but slow or softly failed
  std::optional<std::uint32_t> response_time_ms{};
  details known{};
};

/// Returns the JSON that is stored and shown, at most `longest_details`. A plain `up` keeps only code, timings and
/// proof. If the text is too long, parts are left out in this order: body, headers, the certificate's names, the
/// answers of DNS. The result is valid UTF-8 without U+0000 (which PostgreSQL refuses), whatever the target sent.
std::string details_json(result_of_check const& result);
/// Returns the same for only a certificate: issuer, subject, validity and fingerprint.
std::string certificate_json(certificate const& certificate);

}  // namespace svc::checks
