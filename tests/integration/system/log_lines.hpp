#pragma once

#include "support/service.hpp"

#include <string>
#include <string_view>

namespace svc::test {

/// Waits for the n-th line (counted from 1) of a process's log that contains `subject`.
inline bool logged(service const& process, std::string_view subject, int n) {
  return process.err()
      .wait_line([&](std::string const& line) { return line.find(subject) != std::string::npos && --n == 0; },
                 std::chrono::seconds(30))
      .has_value();
}

}  // namespace svc::test
