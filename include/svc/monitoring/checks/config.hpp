#pragma once

#include "svc/domain/monitoring/checks/pattern.hpp"
#include "svc/domain/monitoring/checks/variables.hpp"
#include "svc/egress/address_policy.hpp"
#include "svc/egress/host.hpp"
#include "svc/egress/url.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::checks {

/// A type of monitors that are checked by connecting to their target: a row of `check_types`.
struct check_type;
/// Returns null if no row has this name.
check_type const* check_type_named(std::string_view name);

/// The members of a `config` that only one type has.
class type_settings;

/// `retryStrategy`.
struct retry_strategy {
  unsigned most = 2;  ///< attempts after the first
  std::chrono::seconds delay{1};
  unsigned backoff = 2;  ///< each delay is the previous one times `backoff`
};

/// The configuration of a check. Immutable; created once for each version of a monitor.
struct check_config {
  check_type const* type = nullptr;
  text_with_variables target{};
  std::chrono::milliseconds timeout{};  ///< timeout of each attempt
  retry_strategy retries{};
  std::optional<std::uint32_t> degraded_after_ms{};
  std::chrono::milliseconds address_age{};  ///< maximum age of the addresses for a first attempt
  std::shared_ptr<type_settings const> settings{};

  /// Returns the names of the variables that a check needs, each once.
  std::vector<std::string> variables() const;
  /// The costs of the regular expressions: the sum of their program sizes, and their maximum memory.
  struct pattern_costs {
    int size = 0;
    std::size_t bytes = 0;
  };
  pattern_costs patterns() const;
  /// Returns the maximum duration of a check: its attempts and the delays between them.
  std::chrono::milliseconds longest() const;
};

/// A monitor's configuration as stored.
struct check_source {
  check_type const* type = nullptr;  ///< a row of the table
  std::string_view target{};
  std::chrono::seconds interval{};  ///< time between two checks
  boost::json::object const* config = nullptr;
  /// Limit of the sum of the sizes of its regular expressions (`most_pattern_size`).
  int most_pattern_size = unlimited_pattern_size;
};

/// Reads `target` and `config`. A null member counts as missing. Literal addresses that `address_rules` do not allow
/// are refused; null: none is refused. Fails with `validation_failed` and a JSON pointer into the monitor (`/target`,
/// `/config/timeoutSeconds`) for each fault. Total.
result<check_config> parse_check(check_source const& source, egress::address_policy const* address_rules);

/// Parses the target with its variables filled in. Fails with `validation_failed` and a sentence that does not show
/// the target.
result<egress::http_url> parse_url_target(std::string_view text);
result<egress::host> parse_host_target(std::string_view text);

}  // namespace svc::checks
