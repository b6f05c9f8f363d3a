#pragma once

#include "svc/core/async.hpp"

#include <vector>

namespace svc {

/// Runs all of these at the same time until the last has ended; then throws what the first to fail threw.
task<> together(std::vector<task<>> all);

}  // namespace svc
