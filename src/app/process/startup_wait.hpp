#pragma once

#include "app/process/service_manager.hpp"

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace svc::app {

/// The stores that a worker lacks before it can serve. A value.
struct missing_stores {
  bool redis = false;
  bool postgres = false;
  std::string redis_fault{};  ///< the error of the last attempt to reach Redis; empty if no attempt has failed

  bool any() const { return redis || postgres; }
};

/// Returns "waiting for Redis at 10.0.0.5:6379: connect: Connection refused", naming only the stores that some worker
/// misses. `redis_server` is `redis_servers::description`. Pure.
std::string waiting_sentence(std::vector<missing_stores> const& workers, std::string_view redis_server);

/// The reason why an instance does not serve yet, in one sentence for the log, the service manager and the admin
/// pages. The application owns the object, which is thread-safe.
class startup_wait {
 public:
  /// The manager must outlive this.
  explicit startup_wait(service_manager const& manager) : manager_(manager) {}

  /// Logs and shows a sentence such as "waiting for PostgreSQL: ...".
  void begin(std::string_view sentence);
  /// Shows a sentence that is not worth a warning, because nothing is wrong yet.
  void show(std::string_view sentence);
  /// Clears the sentence, because the instance no longer waits.
  void end();
  /// Returns an empty text if the instance waits for nothing.
  std::string sentence() const;

 private:
  service_manager const& manager_;
  mutable std::mutex mutex_;
  std::string sentence_;
};

}  // namespace svc::app
