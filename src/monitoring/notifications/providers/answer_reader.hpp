#pragma once

#include "svc/core/time.hpp"
#include "svc/monitoring/notifications/answer.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::notifications {

/// A provider's HTTP response as the rows of `provider_row` see it.
struct provider_answer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> const& fields;  ///< names in lower case
  std::string_view body{};
  bool body_is_long = false;         ///< the body is longer than the parsed part
  boost::json::value parsed_body{};  ///< null if the body is not parsed: too long, invalid or not needed
};

bool accepts_any_2xx(provider_answer const& answer);
bool accepts_200(provider_answer const& answer);

/// Returns the value of a field of the head; empty if it is missing.
std::string_view field_of(provider_answer const& answer, std::string_view name);
/// Returns null if the value is no object or has no such member.
boost::json::value const* member_of(boost::json::value const& value, std::string_view name);

/// Reads seconds, with a fraction, as a pause of at most an hour.
std::optional<milliseconds> pause_in_text(std::string_view text);
/// The same for a JSON number. Accepts null.
std::optional<milliseconds> pause_in_number(boost::json::value const* number);
/// Extends the pause of the outcome if the provider asked for a longer one.
void extend_pause(outcome& result, std::optional<milliseconds> pause);

}  // namespace svc::notifications
