#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace svc::test {

/// Returns true if `content` becomes true within that time. `pause` is the time between two calls; choose a longer
/// one if each call slows others down.
inline bool comes_true(std::function<bool()> const& content, std::chrono::milliseconds within,
                       std::chrono::milliseconds pause = std::chrono::milliseconds(5)) {
  auto const until = std::chrono::steady_clock::now() + within;
  while (!content()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

}  // namespace svc::test
