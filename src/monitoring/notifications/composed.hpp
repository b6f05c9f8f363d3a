#pragma once

#include "monitoring/notifications/text.hpp"
#include "svc/monitoring/notifications/message.hpp"
#include "svc/monitoring/notifications/request.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::notifications {

/// How many alerts one message names; the rest are counted.
inline constexpr std::size_t most_named = 50;

/// A message in words, for people. Texts are harmless, but not escaped.
struct composed {
  std::string title{};               ///< `[DOWN] shop`
  std::vector<std::string> lines{};  ///< of one alert: what is known of it; of several: one for each
  std::size_t unnamed = 0;           ///< alerts without a line
  bool digest = false;
  bool bad = true;  ///< one of its alerts is
  std::string_view severity = "info";
  std::string link{};  ///< empty: none
};

/// A failure and its end in one message become one; failures come before ends, otherwise the order stays.
std::vector<alert> merged(std::vector<alert> all);

composed compose(message const& message, text_settings const& settings);

/// Where an alert can be seen; empty: nowhere.
std::string link_to(alert const& alert, text_settings const& settings);

/// The lines, escaped, as many as fit; the last one tells how many alerts have none. Of a text of one alert, lines
/// are cut. Counts a line end for each.
std::vector<std::string> lines_that_fit(composed const& parts, std::size_t most_units, escape escape,
                                        std::size_t most_in_line = std::string::npos);

}  // namespace svc::notifications
