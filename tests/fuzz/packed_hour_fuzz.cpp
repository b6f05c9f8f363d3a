// The first byte chooses: any bytes are a packed hour or a packed histogram, or not; one that is read gives the same
// values when they are packed and read again.
#include "check.hpp"
#include "svc/domain/monitoring/checks/packed_hour.hpp"

#include <cstdint>

using namespace svc;

namespace {

void read_hour(byte_view bytes) {
  auto const results = checks::read_packed(bytes);
  if (!results) return;
  checks::summary sum;
  for (auto const& each : *results) sum.add(each);
  check(sum.checks == results->size(), "each counts");
  auto const again = checks::packed(*results);
  check(again.size() <= bytes.size(), "no spelling is shorter");
  check(checks::read_packed(again) == results, "the same results");
}

void read_histogram(byte_view bytes) {
  auto const read = checks::response_times::read(bytes);
  if (!read) return;
  auto const again = read->packed();
  check(byte_vector(bytes.begin(), bytes.end()) == again, "one spelling");
  std::uint32_t last = 0;
  for (unsigned percent = 1; percent <= 100; ++percent) {
    auto const now = read->percentile(percent);
    check(now.has_value() == (read->count() > 0), "a percentile of some");
    if (!now) return;
    check(*now >= last && *now <= checks::response_times::longest_ms, "percentiles ascend");
    last = *now;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  byte_view const rest(data + 1, size - 1);
  if (data[0] % 4 == 0) {
    read_histogram(rest);
  } else {
    read_hour(rest);
  }
  return 0;
}
