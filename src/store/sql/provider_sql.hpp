#pragma once

#include "store/sql/change_sql.hpp"

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <vector>

// The notification providers that an alert configuration names, of a job or of a monitor.

namespace svc::store {

inline constexpr postgres::statement find_providers{"providers_find", R"(
SELECT id FROM notification_providers WHERE project_id = $1 AND id = ANY ($2))"};

/// `known`: the rows of `find_providers`; `sentence`: that of the refusal.
inline result<> check_providers(std::vector<uuid> const& wanted, postgres::rows const& known, std::string sentence) {
  auto wrong =
      check_known(wanted, known, "/alertConfig/notificationProviders/", "", "is not a provider of this project");
  if (wrong.empty()) return {};
  return error(errc::validation_failed, std::move(sentence), std::move(wrong));
}

/// Returns the ids in the order of a stored configuration; none without one.
inline std::vector<uuid> providers_in(std::optional<std::string> const& alert_config) {
  std::vector<uuid> out;
  if (!alert_config) return out;
  auto const config = boost::json::parse(*alert_config);
  auto const* const named = config.as_object().if_contains("notificationProviders");
  if (named == nullptr) return out;
  for (auto const& each : named->as_array())
    if (auto const id = uuid::parse(each.as_string())) out.push_back(*id);
  return out;
}

}  // namespace svc::store
