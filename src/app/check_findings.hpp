#pragma once

#include <string>
#include <vector>

namespace svc::app {

/// What an operator is told by a check that connects: one sentence for each thing that was looked at. A value.
struct check_findings {
  std::vector<std::string> facts{};
  std::vector<std::string> problems{};  ///< each says what to do
};

}  // namespace svc::app
