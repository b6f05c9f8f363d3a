#pragma once

#include "svc/core/metrics.hpp"

namespace svc::app {

/// The process as the kernel sees it, by the names that Prometheus's own clients use, and the lost lines of its log.
/// Belongs to the control thread.
class process_metrics {
 public:
  explicit process_metrics(metrics& counters);
  /// Reads everything again; called for each page of metrics.
  void show() const;

 private:
  counter cpu_, log_dropped_;
  gauge resident_, virtual_, open_files_, most_files_, started_;
};

}  // namespace svc::app
