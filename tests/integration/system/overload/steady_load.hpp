#pragma once

#include "integration/system/jobs.hpp"
#include "support/fleet.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace svc::test {

/// The load of users of all instances, a thread for each: identities, lists of monitors and alerts, triggers. Its
/// rate is far below the capacity of an instance.
class steady_load {
 public:
  struct figures {
    std::size_t requests = 0, failures = 0;
    double p50_ms = 0, p99_ms = 0;
    std::string text() const {
      std::array<char, 96> out{};
      std::snprintf(out.data(), out.size(), "%zu requests, p50 %.2f ms, p99 %.2f ms", requests, p50_ms, p99_ms);
      return out.data();
    }
  };

  steady_load(fleet const& fleet, std::string const& token, std::string job) : job_(std::move(job)) {
    for (std::size_t i = 0; i < fleet.size(); ++i)
      threads_.emplace_back([this, user = fleet.client(i, token)]() mutable { ask(user); });
  }
  ~steady_load() {
    over_ = true;
    for (auto& thread : threads_) thread.join();
  }
  steady_load(steady_load const&) = delete;
  steady_load& operator=(steady_load const&) = delete;

  /// Returns the figures of the answers since the last call.
  figures next_part() {
    std::lock_guard const lock(mutex_);
    auto took = std::exchange(took_ms_, {});
    std::ranges::sort(took);
    figures out{.requests = took.size(), .failures = std::exchange(failures_, 0)};
    if (took.empty()) return out;
    out.p50_ms = took[took.size() / 2];
    out.p99_ms = took[took.size() * 99 / 100];
    return out;
  }
  /// Returns the first of the failures.
  std::string complaint() const {
    std::lock_guard const lock(mutex_);
    return complaint_;
  }

 private:
  void ask(api_client& client) {
    constexpr std::chrono::milliseconds pace{20};
    for (int i = 0; !over_; ++i) {
      auto const next = std::chrono::steady_clock::now() + pace;
      switch (i % 4) {
        case 0:
          note(200, [&] { return client.get("/api/auth/whoami"); });
          break;
        case 1:
          note(200, [&] { return client.get("/api/monitors?limit=20"); });
          break;
        case 2:
          note(200, [&] { return client.get("/api/alerts?limit=20"); });
          break;
        default:
          note(202, [&] { return client.post(trigger_path(job_)); });
      }
      std::this_thread::sleep_until(next);
    }
  }
  void note(int wanted, auto const& content) {
    auto const start = std::chrono::steady_clock::now();
    std::string wrong;
    try {
      auto const got = content();
      if (got.status != wanted) wrong = std::to_string(got.status) + " " + got.body;
    } catch (std::exception const& e) {
      wrong = e.what();
    }
    std::chrono::duration<double, std::milli> const took = std::chrono::steady_clock::now() - start;
    std::lock_guard const lock(mutex_);
    took_ms_.push_back(took.count());
    if (wrong.empty()) return;
    ++failures_;
    if (complaint_.empty()) complaint_ = wrong;
  }

  std::string const job_;
  std::atomic<bool> over_ = false;
  mutable std::mutex mutex_;  ///< protects everything below
  std::vector<double> took_ms_{};
  std::size_t failures_ = 0;
  std::string complaint_{};
  std::vector<std::thread> threads_{};
};

}  // namespace svc::test
