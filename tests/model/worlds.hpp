#pragma once

#include "model/world.hpp"

namespace svc::model {

/// The small worlds: each is one race, or one fault during one change.
std::vector<world> const& small_worlds();
world const& world_named(std::string_view name);

}  // namespace svc::model
