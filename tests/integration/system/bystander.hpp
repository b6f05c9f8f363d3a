#pragma once

#include "support/fleet.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// A client of another organisation that goes on with its work while something is attacked: one read and one small
/// write in turn, each 5 ms.
class bystander {
 public:
  explicit bystander(fleet& of) : client_(of.client(0, of.make_tenant().token)), thread_(&bystander::run, this) {}
  ~bystander() { end(); }
  bystander(bystander const&) = delete;
  bystander& operator=(bystander const&) = delete;

  void end() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
    std::sort(took_.begin(), took_.end());
  }
  // After `end`.
  std::size_t requests() const { return took_.size(); }
  /// Statuses that were not what was asked for; 0: no answer.
  std::vector<int> const& failures() const { return failures_; }
  /// In milliseconds.
  double p99() const { return took_.empty() ? 0 : took_[took_.size() * 99 / 100]; }

 private:
  void run() {
    for (bool writes = false; !over_; writes = !writes) {
      auto const start = std::chrono::steady_clock::now();
      int status = 0;
      try {
        status = writes ? client_.post("/api/tests", R"({"title":"mine"})").status
                        : client_.get("/api/auth/whoami").status;
      } catch (std::runtime_error const&) {
        // Counted as a failure.
      }
      if (status != (writes ? 201 : 200)) failures_.push_back(status);
      took_.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  api_client client_;
  std::vector<double> took_{};
  std::vector<int> failures_{};
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace svc::test
