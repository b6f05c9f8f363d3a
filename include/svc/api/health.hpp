#pragma once

#include "svc/core/deadline.hpp"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace svc::api {

/// One thing the service depends on, as its last use or check found it.
struct dependency {
  std::string name;
  bool up = false;
};

/// What health pages show. `accepting` is shared by all workers (written by the composition root only);
/// `check` gives this worker's own view of its connections and never blocks.
struct health {
  std::atomic<bool> const& accepting;  ///< false while starting or draining
  std::function<std::vector<dependency>()> check;
  std::string version;
};

}  // namespace svc::api
