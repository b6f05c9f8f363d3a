#include "tally.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace svc::bench {

void tally::add(int status, std::chrono::steady_clock::duration latency) {
  latencies_.push_back(std::chrono::duration<float, std::micro>(latency).count());
  if (status == expected_) return;
  ++unexpected_;
  other_status_ = status;
}

void tally::forget() {
  latencies_.clear();
  unexpected_ = 0;
  other_status_ = 0;
}

double tally::percentile(double part) {
  if (latencies_.empty()) return 0;
  auto const iterator = latencies_.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(answers() - 1));
  std::nth_element(latencies_.begin(), iterator, latencies_.end());
  return *iterator;
}

std::string tally::members(std::string const& name, double seconds) {
  std::array<char, 160> numbers;
  std::snprintf(numbers.data(), numbers.size(),
                "\"requests\":%zu,\"unexpected\":%zu,\"per_second\":%.0f,\"p50_us\":%.0f,\"p99_us\":%.0f", answers(),
                unexpected_, static_cast<double>(answers()) / seconds, percentile(0.5), percentile(0.99));
  return "\"name\":\"" + name + "\"," + numbers.data();
}

int tally::verdict(char const* program) const {
  if (unexpected_ == 0) return 0;
  std::fprintf(stderr, "%s: %zu answers of an unexpected status, such as %d\n", program, unexpected_, other_status_);
  return 1;
}

}  // namespace svc::bench
