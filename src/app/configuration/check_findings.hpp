#pragma once

#include <string>
#include <vector>

namespace svc::app {

/// The sentences of a check that connects, for the operator: one for each server and property. A value.
struct check_findings {
  std::vector<std::string> facts{};
  std::vector<std::string> problems{};  ///< each says what to do
  std::vector<std::string> warnings{};  ///< what works, but should be changed
};

}  // namespace svc::app
