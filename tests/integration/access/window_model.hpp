#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace svc::access {

/// A model of the script's answers and data, as simple as the promise itself: a vector of the stamps of admitted
/// requests, oldest first. A value.
struct window_model {
  struct answer {
    bool admitted = false;
    std::int64_t remaining = 0, reset = 0, retry = 0;

    friend bool operator==(answer const&, answer const&) = default;
  };

  std::int64_t window;
  std::vector<std::int64_t> stamps{};

  answer ask(std::int64_t now, std::int64_t limit) {
    std::erase_if(stamps, [&](auto stamp) { return stamp <= now - window; });
    for (auto& stamp : stamps) stamp = std::min(stamp, now);
    auto const counted = static_cast<std::int64_t>(stamps.size());
    if (counted < limit) {
      stamps.push_back(now);
      return {true, limit - counted - 1, stamps.front() + window, 0};
    }
    auto const first_to_leave = static_cast<std::size_t>(counted - limit);
    return {false, 0, stamps.front() + window, stamps[first_to_leave] + window};
  }
};

}  // namespace svc::access
