#pragma once

#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/store/repositories.hpp"

#include <chrono>
#include <utility>

namespace svc::app {

/// Deletes rows that have expired, and adds partitions before they are needed. One worker of each instance does this;
/// the database prevents doing it twice. Worker-local; its dependencies must outlive it.
class store_maintenance {
 public:
  struct parts {
    store::repositories& stores;
    std::chrono::days run_partition_width;  ///< of the partitions of runs that it adds
    loop_starter loops;                     ///< asked between two batches whether to go on
  };
  explicit store_maintenance(parts parts) : parts_(std::move(parts)) {}
  store_maintenance(store_maintenance const&) = delete;
  store_maintenance& operator=(store_maintenance const&) = delete;

  /// On that worker, before its thread runs.
  void start();

 private:
  task<> discard_keys();
  task<> sweep_accounts();
  task<> keep_partitions();

  parts parts_;
};

}  // namespace svc::app
