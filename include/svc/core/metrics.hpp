#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
class Registry;
}  // namespace prometheus

namespace svc {

/// Label names with their values, in a fixed order; both from bounded sets.
using labels = std::vector<std::pair<std::string, std::string>>;

/// A monotone counter, histogram or gauge of one label set. Cheap to copy; resolve it once and keep it.
class counter {
 public:
  counter() = default;
  explicit counter(prometheus::Counter* c) : counter_(c) {}
  void add(double n = 1) const;
  /// Raises the counter to a total that was counted elsewhere; a smaller total changes nothing. One thread at
  /// a time.
  void raise_to(double total) const;

 private:
  prometheus::Counter* counter_ = nullptr;
};

class histogram {
 public:
  histogram() = default;
  explicit histogram(prometheus::Histogram* h) : histogram_(h) {}
  void observe(double seconds) const;
  /// Adds values that were counted elsewhere: their number in each bucket (the last one above all bounds) and
  /// their sum.
  void observe(std::vector<double> const& increments, double sum) const;

 private:
  prometheus::Histogram* histogram_ = nullptr;
};

class gauge {
 public:
  gauge() = default;
  explicit gauge(prometheus::Gauge* g) : gauge_(g) {}
  void set(double value) const;
  void add(double value) const;

 private:
  prometheus::Gauge* gauge_ = nullptr;
};

/// All metrics of the process (Prometheus text format 0.0.4). Shared by the workers; prometheus-cpp's
/// values are atomic.
class metrics {
 public:
  metrics();
  ~metrics();
  metrics(metrics const&) = delete;
  metrics& operator=(metrics const&) = delete;

  counter make_counter(std::string const& name, std::string const& help, labels const& labels = {});
  gauge make_gauge(std::string const& name, std::string const& help, labels const& labels = {});
  /// Buckets in seconds from 100 us to 10 s.
  histogram make_histogram(std::string const& name, std::string const& help, labels const& labels = {});
  histogram make_histogram(std::string const& name, std::string const& help, labels const& labels,
                           std::vector<double> const& bounds);

  std::string expose() const;

 private:
  std::shared_ptr<prometheus::Registry> registry_;
};

}  // namespace svc
