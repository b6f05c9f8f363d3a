#include "svc/domain/monitoring/checks/response_times.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace svc::checks {
namespace {

/// True if the shown value is within 2.5 % of the truth; small numbers must be exact.
bool is_near(std::uint32_t shown, std::uint32_t truth) {
  return std::abs(static_cast<double>(shown) - truth) <= 0.025 * truth;
}

TEST_CASE("each single time is exact to 2.5 %, and fully exact up to 40 ms") {
  for (std::uint32_t ms = 1; ms <= response_times::longest_ms; ms += 1 + ms / 1000) {
    response_times times;
    times.add(ms);
    auto const shown = times.percentile(50).value();
    if (!is_near(shown, ms) || (ms <= 40 && shown != ms)) FAIL(ms << " is shown as " << shown);
  }
}

TEST_CASE("times outside of the buckets count as the nearest one") {
  response_times h;
  h.add(0);
  CHECK(h.percentile(50) == 1);
  h.add(4'000'000'000, 2);
  CHECK(is_near(h.percentile(50).value(), response_times::longest_ms));
  CHECK(h.count() == 3);
}

TEST_CASE("percentiles agree with those of the sorted times, in sums and after reading, to 2.5 %") {
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same times each run
  for (int round = 0; round < 200; ++round) {
    std::lognormal_distribution<double> usual(3 + round % 7, 0.1 + round % 5 * 0.4);
    std::vector<std::uint32_t> times(1 + random() % 400);
    response_times sum;
    for (std::size_t position = 0; position < times.size();) {
      response_times part;
      for (auto const end = std::min(times.size(), position + 1 + random() % 50); position < end; ++position) {
        times[position] = std::clamp(static_cast<std::uint32_t>(usual(random)), 1U, response_times::longest_ms);
        part.add(times[position]);
      }
      auto const read = response_times::read(part.packed());
      REQUIRE(read.has_value());
      sum.add(*read);
    }
    std::ranges::sort(times);
    REQUIRE(sum.count() == times.size());
    for (unsigned const percent : {1U, 50U, 95U, 99U, 100U}) {
      auto const rank = (times.size() * percent + 99) / 100;
      auto const shown = sum.percentile(percent).value();
      if (!is_near(shown, times[rank - 1])) FAIL("p" << percent << " is " << times[rank - 1] << ", shown " << shown);
    }
  }
}

TEST_CASE("an empty histogram has no percentile") {
  CHECK_FALSE(response_times().percentile(50));
  CHECK(response_times().packed().empty());
  CHECK(response_times::read({}) == response_times());
}

TEST_CASE("the packed form never changes, and is small") {
  response_times h;
  h.add(1);
  h.add(2, 200);
  h.add(40);
  h.add(42);
  CHECK(h.packed() == byte_vector{0, 1, 0, 200, 1, 37, 1, 1, 1});
  response_times hour;
  for (std::uint32_t i = 0; i < 60; ++i) hour.add(180 + i % 20);
  CHECK(hour.packed().size() <= 12);
}

TEST_CASE("bytes that are no packed histogram are refused") {
  byte_vector const cases[] = {
      {0},                                                           // no count
      {0, 0},                                                        // a bucket that is empty
      {0x80, 0, 1},                                                  // a longer spelling
      {0x80},                                                        // without an end
      {0xFF, 0x7F, 1},                                               // beyond the last bucket
      {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 1},  // far beyond it
      {0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1},  // more than any real count
      {0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2},  // more than 64 bits
  };
  for (auto const& bytes : cases) CHECK_FALSE(response_times::read(bytes).has_value());
}

}  // namespace
}  // namespace svc::checks
