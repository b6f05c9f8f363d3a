#pragma once

#include "svc/core/result.hpp"

#include <boost/json/value.hpp>

#include <array>
#include <functional>
#include <string>
#include <string_view>

namespace svc::notifications {

/// The names that a template may use in `{{name}}`, in the contract's spelling.
inline constexpr std::array<std::string_view, 18> template_names{
    "title",        "message",      "severity",    "status",       "monitorName", "targetName",
    "targetUrl",    "targetId",     "timestamp",   "type",         "projectName", "projectId",
    "responseTime", "errorMessage", "monitorType", "dashboardUrl", "alertAction", "dedupKey"};

/// `bodyTemplate` of a webhook: JSON, in whose strings (names of members too) each `{{name}}` is replaced after it
/// was parsed, so that no value breaks out of its string. Blanks around a name are allowed; braces without such a
/// name stay. Immutable.
class body_template {
 public:
  /// Accepts at most 10 000 bytes and 32 levels. Returns `validation_failed` at `/config/bodyTemplate` for
  /// text that is not JSON, and for a name that is not in `template_names`. Total.
  static result<body_template> parse(std::string_view text);

  /// Returns the body. Calls `value_of` for each name.
  std::string filled(std::function<std::string(std::string_view name)> const& value_of) const;

 private:
  explicit body_template(boost::json::value parsed) : parsed_(std::move(parsed)) {}

  boost::json::value parsed_;
};

}  // namespace svc::notifications
