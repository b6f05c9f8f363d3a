#pragma once

#include "svc/monitoring/scheduler/check_worker.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace svc::scheduler {

/// All check workers of an instance; none if the instance makes no checks. Owned by the application; any thread may
/// call its functions while the workers run.
class check_workers {
 public:
  check_workers(check_worker_parts const& parts, int number);

  void start();
  void follow(postgres::primary_server const& where);
  void drain();
  bool finished() const;
  void join();
  /// Checks a monitor that is not saved; the workers take turns. `unavailable` if the instance makes no checks,
  /// otherwise as `check_tests::run`.
  task<result<check_report>> test(check_order order, deadline until);
  /// The threads of all workers; as long as this exists.
  std::vector<watched_thread> watched();

 private:
  std::vector<std::unique_ptr<check_worker>> workers_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace svc::scheduler
