#pragma once

#include "app/process/service_manager.hpp"
#include "svc/core/log.hpp"

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace svc::app {

/// What a worker needs before it can serve. A value.
struct missing_stores {
  bool redis = false;
  bool postgres = false;
  std::string redis_fault{};  ///< why the last attempt to reach Redis failed; empty if none has

  bool any() const { return redis || postgres; }
};

/// Returns "waiting for Redis at 10.0.0.5:6379: connect: Connection refused", naming only the stores that some worker
/// misses. `redis_place`: `redis_servers::description`. Pure.
std::string waiting_sentence(std::vector<missing_stores> const& workers, std::string_view redis_place);

/// The reason why an instance does not serve yet, in one sentence for the log, the service manager and the admin
/// pages. Owned by the application. Thread-safe.
class startup_wait {
 public:
  /// The manager must outlive this.
  explicit startup_wait(service_manager const& manager) : manager_(manager) {}

  /// Logs and shows a sentence such as "waiting for PostgreSQL: ...".
  void begin(std::string_view sentence) {
    log::warn(sentence);
    show(sentence);
  }
  /// Shows a sentence that is not worth a warning, because nothing is wrong yet.
  void show(std::string_view sentence) {
    {
      std::lock_guard const lock(mutex_);
      sentence_ = sentence;
    }
    manager_.status("starting: " + std::string(sentence));
  }
  /// The instance waits for nothing more.
  void end() {
    std::lock_guard const lock(mutex_);
    sentence_.clear();
  }
  /// Returns an empty text if the instance waits for nothing.
  std::string sentence() const {
    std::lock_guard const lock(mutex_);
    return sentence_;
  }

 private:
  service_manager const& manager_;
  mutable std::mutex mutex_;
  std::string sentence_;
};

}  // namespace svc::app
