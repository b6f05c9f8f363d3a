#pragma once

#include "cli/commands/resource.hpp"

#include <vector>

namespace svc::cli {

/// Returns the members of a monitor's body with their options.
std::vector<body_field> monitor_fields();
/// Returns the filters of lists of monitors.
std::vector<list_filter> monitor_filters();

}  // namespace svc::cli
