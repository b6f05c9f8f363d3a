#pragma once

#include "svc/core/result.hpp"
#include "svc/core/secret.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::notifications {

/// Reads the members of a provider's `config` and collects the problems. Lives as long as one call of `read_config`.
class config_reader {
 public:
  /// `former_secret` is the signing secret that was replaced less than a day ago, or empty.
  config_reader(boost::json::object const& config, secret_string former_secret)
      : config_(config), former_secret_(std::move(former_secret)) {}

  /// Returns `fallback` if the member is missing, null or no string.
  std::string text(std::string_view name, std::string fallback = {});
  std::string required_text(std::string_view name);
  std::optional<std::string> optional_text(std::string_view name);
  /// Reads a URL. Refuses `http` unless `allows_http`.
  std::string url(std::string_view name, bool allows_http);
  /// Returns null if the member is missing.
  boost::json::value const* member(std::string_view name) const { return config_.if_contains(name); }
  void refuse(std::string_view name, std::string problem);

  secret_string take_former_secret() { return std::move(former_secret_); }
  std::vector<field_error> problems() && { return std::move(problems_); }

 private:
  boost::json::object const& config_;
  secret_string former_secret_;
  std::vector<field_error> problems_{};
};

}  // namespace svc::notifications
