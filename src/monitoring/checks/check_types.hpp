#pragma once

#include "monitoring/checks/member_reader.hpp"
#include "monitoring/checks/probe.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace svc::checks {

/// The members of a `config` that only one type has, and the attempt that they describe. Immutable; checks share it.
class type_settings {
 public:
  type_settings() = default;
  type_settings(type_settings const&) = default;
  type_settings& operator=(type_settings const&) = delete;
  virtual ~type_settings() = default;

  /// Makes one attempt. The settings and the objects that `attempt` refers to outlive it.
  virtual task<result_of_check> probe(check_attempt attempt, probe_tools tools) const = 0;

  /// Calls `visit` with each text that may have variables.
  virtual void visit_texts(std::function<void(text_with_variables const&)> const& /*visit*/) const {}
  /// Calls `visit` with each regular expression, whose program and memory the monitor's plan holds.
  virtual void visit_patterns(std::function<void(re2::RE2 const&)> const& /*visit*/) const {}
  /// Returns the JSON pointer of the first literal secret in the configuration: one that is not a reference to a
  /// variable.
  virtual std::optional<std::string> secret_member() const { return std::nullopt; }
  /// The days before a certificate's end at which a result warns (`passed_threshold`). Empty: never.
  virtual std::span<std::uint32_t const> warning_days() const { return {}; }
  /// If `timeout` is too short for one attempt, returns the shortest `timeoutSeconds` as text for the refusal.
  virtual std::optional<std::string> shortest_timeout(milliseconds /*timeout*/) const { return std::nullopt; }
};

/// The input of a type's parser.
struct settings_source {
  member_reader& config;
  std::string_view target;
  std::optional<std::uint32_t> degraded_after_ms;
  int most_pattern_size;                        ///< as in `check_source`
  egress::address_policy const* address_rules;  ///< Refuses literal addresses; null: none is refused.
};

/// The kind of a type's target. It decides which address passes the target gate.
enum class target_kind : std::uint8_t { url, host, dns_name };

/// One type. `parse` reads the type's members and notes faults in `config`. With faults it may return
/// any settings, but never null.
struct check_type {
  std::string_view name;
  target_kind target;
  std::shared_ptr<type_settings const> (*parse)(settings_source const& source);
  bool needs_icmp = false;  ///< The type cannot be checked by a process that may not send ICMP.
};

// Each function is defined in the file of its type, `<type>_check.cpp`.
std::shared_ptr<type_settings const> parse_http_request(settings_source const& source);
std::shared_ptr<type_settings const> parse_website(settings_source const& source);
std::shared_ptr<type_settings const> parse_ping(settings_source const& source);
std::shared_ptr<type_settings const> parse_port(settings_source const& source);
std::shared_ptr<type_settings const> parse_dns(settings_source const& source);

/// All types. A row's position is its index in metrics.
inline constexpr std::array check_types{
    check_type{.name = "http_request", .target = target_kind::url, .parse = parse_http_request},
    check_type{.name = "website", .target = target_kind::url, .parse = parse_website},
    check_type{.name = "ping_host", .target = target_kind::host, .parse = parse_ping, .needs_icmp = true},
    check_type{.name = "port_check", .target = target_kind::host, .parse = parse_port},
    check_type{.name = "dns", .target = target_kind::dns_name, .parse = parse_dns},
};

/// Requires a row of `check_types`.
constexpr std::size_t index_of(check_type const& type) {
  return static_cast<std::size_t>(&type - check_types.data());
}

}  // namespace svc::checks
