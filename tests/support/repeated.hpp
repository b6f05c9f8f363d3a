#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace svc::test {

/// Does something again and again in a thread of its own, until it is stopped or destroyed, or throws.
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

  /// What a step threw; empty if none did.
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
