#pragma once

#include "svc/domain/monitoring/checks/http_check.hpp"
#include "svc/domain/monitoring/checks/pattern.hpp"
#include "svc/domain/monitoring/checks/variables.hpp"
#include "svc/egress/dns/resolver.hpp"
#include "svc/egress/guard.hpp"
#include "svc/egress/host.hpp"
#include "svc/egress/url.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace svc::checks {

/// The types of monitors that are checked by connecting to their target.
enum class check_type : std::uint8_t { http_request, website, ping_host, port_check, dns };
std::optional<check_type> check_type_named(std::string_view name);

/// `retryStrategy`.
struct retry_strategy {
  unsigned most = 2;  ///< attempts after the first
  std::chrono::seconds delay{1};
  unsigned backoff = 2;  ///< each delay is so many times the one before
};

/// A field of the request. `secret`: its value is masked wherever it appears.
struct http_field {
  std::string name{};
  checks::text_with_variables value{};
  bool secret = false;
};

enum class http_auth : std::uint8_t { none, basic, bearer };

/// `http_request` and `website`.
struct http_config {
  std::string method = "GET";
  std::vector<http_field> fields{};
  checks::text_with_variables body{};
  http_auth auth = http_auth::none;
  checks::text_with_variables username{}, password{}, token{};
  bool follow_redirects = true;
  unsigned most_redirects = 5;
  egress::ip_family family = egress::ip_family::any;
  std::size_t most_body_bytes = 1024 * 1024;
  bool verify = true;
  bool only_tls13 = false;
  checks::text_with_variables server_name{}, authorities{}, certificate{}, key{};
  /// When to warn that the certificate ends (`checks::passed_threshold`); empty: never.
  std::vector<std::uint32_t> warning_days{};
  std::shared_ptr<checks::http_judge const> judge{};
};

/// `ping_host`.
struct ping_config {
  unsigned count = 3;
  std::chrono::milliseconds interval{200};
  std::size_t payload = 56;
  unsigned most_loss_percent = 99;
  egress::ip_family family = egress::ip_family::any;
};

/// `port_check`.
struct port_config {
  std::uint16_t port = 0;
  bool udp = false;
  bool expect_closed = false;
  bool tls = false;
  std::optional<std::string> send{};
  std::shared_ptr<re2::RE2 const> expect{};
  egress::ip_family family = egress::ip_family::any;
};

/// `dns`.
struct dns_config {
  egress::record_type type{};
  std::optional<egress::nameserver_address> server{};  ///< nothing: those of the location
  unsigned rcode = egress::rcode_none;
  std::vector<checks::assertion> assertions{};
};

/// What is checked, and how. Immutable; made once for each version of a monitor.
struct check_config {
  check_type type{};
  checks::text_with_variables target{};
  std::chrono::milliseconds timeout{};  ///< of each attempt
  retry_strategy retries{};
  std::optional<std::uint32_t> degraded_after_ms{};
  std::chrono::milliseconds address_age{};  ///< how old the addresses of a first attempt may be
  std::variant<http_config, ping_config, port_config, dns_config> how{};

  /// Of the variables that a check needs; each once.
  std::vector<std::string> variables() const;
  /// The costs of its regular expressions: the sum of their program sizes, and the memory that they take at most.
  struct pattern_costs {
    int size = 0;
    std::size_t bytes = 0;
  };
  pattern_costs patterns() const;
  /// How long a check may take: its attempts and the delays between them.
  std::chrono::milliseconds longest() const;
};

/// A monitor as it is configured.
struct check_source {
  check_type type{};
  std::string_view target{};
  std::chrono::seconds interval{};  ///< between two checks
  boost::json::object const* config = nullptr;
  /// The largest sum of the sizes of its regular expressions (`checks::most_pattern_size`).
  int most_pattern_size = checks::unlimited_pattern_size;
};

/// Reads `target` and `config`. A member that is null is as if it was left out. Literal addresses that `judge` does
/// not allow are refused; null: none is. Fails with `validation_failed` and a JSON pointer into the monitor
/// (`/target`, `/config/timeoutSeconds`) for each fault. Total.
result<check_config> parse_check(check_source const& from, egress::guard const* judge);

/// The target with its variables filled in: `validation_failed` if it is none, with a sentence that does not show it.
result<egress::http_url> parse_url_target(std::string_view text);
result<egress::host> parse_host_target(std::string_view text);

}  // namespace svc::checks
