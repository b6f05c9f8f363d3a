#include "app/maintenance/instance_view.hpp"

#include <algorithm>
#include <utility>

namespace svc::app {

std::vector<known_instance> known_of(std::vector<store::present_instance> const& rows) {
  std::vector<known_instance> out;
  for (auto const& row : rows)
    out.push_back({.identity = row.identity, .started_at = row.started_at, .postgres = true});
  return out;
}

std::vector<known_instance> merged(std::vector<known_instance> postgres,
                                   std::vector<instance_identity> const& redis) {
  for (auto const& identity : redis) {
    auto const same =
        std::ranges::find_if(postgres, [&](auto const& known) { return known.identity.id == identity.id; });
    if (same == postgres.end())
      postgres.push_back({.identity = identity, .redis = true});
    else
      same->redis = true;
  }
  return postgres;
}

boost::json::object to_json(known_instance const& instance) {
  boost::json::value started;
  if (instance.started_at) started = to_rfc3339(*instance.started_at);
  return {{"id", instance.identity.id.to_string()}, {"host", instance.identity.host},
          {"address", instance.identity.address},   {"version", instance.identity.version},
          {"commit", instance.identity.commit},     {"startedAt", std::move(started)},
          {"postgres", instance.postgres},          {"redis", instance.redis}};
}

}  // namespace svc::app
