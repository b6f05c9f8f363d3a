#include "api/merge_patch.hpp"

#include <boost/json/value.hpp>

namespace svc::api {

// Recursion is as deep as the patch, which the JSON border bounds.
boost::json::object merge_patch(boost::json::object target, boost::json::object const& patch) {
  for (auto const& member : patch) {
    if (member.value().is_null()) {
      target.erase(member.key());
      continue;
    }
    if (!member.value().is_object()) {
      target[member.key()] = member.value();
      continue;
    }
    auto& place = target[member.key()];
    auto inner = place.is_object() ? std::move(place.get_object()) : boost::json::object();
    place = merge_patch(std::move(inner), member.value().get_object());
  }
  return target;
}

}  // namespace svc::api
