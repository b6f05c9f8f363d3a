#pragma once

#include "monitoring/notifications/text.hpp"
#include "svc/monitoring/notifications/message.hpp"
#include "svc/monitoring/notifications/request.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::notifications {

/// Number of alerts that one message names; the others are only counted.
inline constexpr std::size_t most_named = 50;

/// A message in words, for people. The texts are made harmless, but not escaped.
struct composed_text {
  std::string title{};               ///< `[DOWN] shop`
  std::vector<std::string> lines{};  ///< the facts of a single alert, or one line for each of several alerts
  std::size_t unnamed = 0;           ///< alerts without a line
  bool digest = false;
  bool bad = true;  ///< true if one of its alerts is bad
  std::string_view severity = "info";
  std::string link{};  ///< empty: no link
};

/// Merges a failure and its recovery in one message into one alert. Failures precede recoveries; otherwise the
/// order stays.
std::vector<alert> merged(std::vector<alert> all);

composed_text compose(message const& message, text_settings const& settings);

/// Returns the link to an alert's page in the dashboard; empty without one. Posts of status pages have none.
std::string link_to(alert const& alert, text_settings const& settings);

/// Returns as many lines as fit, escaped. If alerts have no line, a last line counts them. Lines of a single alert
/// are cut to fit. Counts a line end for each line.
std::vector<std::string> lines_that_fit(composed_text const& parts, std::size_t most_units, escape escape,
                                        std::size_t most_in_line = std::string::npos);

}  // namespace svc::notifications
