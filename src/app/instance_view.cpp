#include "app/instance_view.hpp"

#include <algorithm>

namespace svc::app {

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

}  // namespace svc::app
