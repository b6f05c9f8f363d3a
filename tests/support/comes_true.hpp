#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace svc::test {

/// Whether it does within that time; asked every 5 ms.
inline bool comes_true(std::function<bool()> const& what, std::chrono::milliseconds within) {
  auto const until = std::chrono::steady_clock::now() + within;
  while (!what()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace svc::test
