#include "app/maintenance/instance_view.hpp"

#include <algorithm>
#include <utility>

namespace svc::app {

std::vector<known_instance> known_of(std::vector<store::present_instance> const& rows) {
  std::vector<known_instance> out;
  for (auto const& row : rows) out.push_back({.who = row.who, .started_at = row.started_at, .postgres = true});
  return out;
}

std::vector<known_instance> merged(std::vector<known_instance> postgres,
                                   std::vector<instance_identity> const& redis) {
  for (auto const& one : redis) {
    auto const same = std::ranges::find_if(postgres, [&](auto const& known) { return known.who.id == one.id; });
    if (same == postgres.end())
      postgres.push_back({.who = one, .redis = true});
    else
      same->redis = true;
  }
  return postgres;
}

boost::json::object to_json(known_instance const& one) {
  boost::json::value started;
  if (one.started_at) started = to_rfc3339(*one.started_at);
  return {{"id", one.who.id.to_string()}, {"host", one.who.host},     {"address", one.who.address},
          {"version", one.who.version},   {"commit", one.who.commit}, {"startedAt", std::move(started)},
          {"postgres", one.postgres},     {"redis", one.redis}};
}

}  // namespace svc::app
