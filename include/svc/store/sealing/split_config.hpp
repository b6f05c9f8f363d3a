#pragma once

#include <boost/json/object.hpp>

#include <string_view>

namespace svc::store {

/// Replaces each secret wherever a config is shown.
inline constexpr std::string_view secret_mask = "********";

/// A config as it is stored: masked, and separately the secrets by their JSON pointers.
struct split_config {
  boost::json::object shown;
  boost::json::object secrets;
};

}  // namespace svc::store
