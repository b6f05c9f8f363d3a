#pragma once

#include "cli/commands/resource.hpp"

#include <vector>

namespace svc::cli {

/// Returns the members of a status page's body with their options.
std::vector<body_field> page_fields();
/// Returns the members of a component's body with their options.
std::vector<body_field> component_fields();

}  // namespace svc::cli
