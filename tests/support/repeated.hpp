#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace svc::test {

/// Repeats an action in its own thread, until it is stopped or destroyed, or throws.
class repeated {
 public:
  explicit repeated(std::function<void()> step)
      : thread_([this, step = std::move(step)] {
          try {
            while (!over_) step();
          } catch (std::exception const& gone) {
            failed_ = gone.what();
          }
        }) {}
  ~repeated() { stop(); }
  repeated(repeated const&) = delete;
  repeated& operator=(repeated const&) = delete;

  /// Returns the error of a step; empty if there was none.
  std::string const& stop() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
    return failed_;
  }

 private:
  std::atomic<bool> over_{false};
  std::string failed_{};
  std::thread thread_;
};

}  // namespace svc::test
