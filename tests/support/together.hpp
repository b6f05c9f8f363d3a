#pragma once

#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace svc::test {

/// Runs `content(i)` for each i below `count`, each on its own thread, all starting at once.
inline void together(int count, std::function<void(int)> const& content) {
  std::barrier start(count);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      content(i);
    });
  }
  for (auto& t : threads) t.join();
}

}  // namespace svc::test
