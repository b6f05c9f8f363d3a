#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace svc::bench {

/// Counts the results of the requests of one measurement.
class tally {
 public:
  explicit tally(int expected_status) : expected_(expected_status) {}

  void add(int status, std::chrono::steady_clock::duration latency);
  void forget();

  std::size_t answers() const { return latencies_.size(); }
  /// Members of the program's JSON line: name, requests, unexpected, per_second (of `seconds`), p50_us, p99_us.
  std::string members(std::string const& name, double seconds);
  /// The program's exit code; 1, after a message, when a status was not the expected one.
  int verdict(char const* program) const;

 private:
  /// In microseconds.
  double percentile(double part);

  int expected_;
  std::vector<float> latencies_{};
  std::size_t unexpected_ = 0;
  int other_status_ = 0;
};

}  // namespace svc::bench
