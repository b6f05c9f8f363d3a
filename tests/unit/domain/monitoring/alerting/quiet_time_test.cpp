#include "svc/domain/monitoring/alerting/quiet_time.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace svc::alerting {
namespace {

quiet_time quiet_between(std::int64_t start, std::int64_t end, bool excludes = true) {
  return {{start * 1'000'000}, {end * 1'000'000}, excludes};
}

std::int64_t outside(std::vector<quiet_time> const& all, std::int64_t start, std::int64_t length) {
  return length_outside(all, {start * 1'000'000}, std::chrono::seconds(length)).count();
}

}  // namespace

TEST_CASE("an occurrence contains its start and not its end") {
  std::vector const all{quiet_between(10, 20), quiet_between(30, 40)};
  CHECK_FALSE(is_quiet(all, {9'999'999}));
  CHECK(is_quiet(all, {10'000'000}));
  CHECK(is_quiet(all, {19'999'999}));
  CHECK_FALSE(is_quiet(all, {20'000'000}));
  CHECK(is_quiet(all, {35'000'000}));
  CHECK_FALSE(is_quiet({}, {35'000'000}));
}

TEST_CASE("a result covers the part of its interval outside maintenance that excludes its time") {
  struct {
    std::vector<quiet_time> all;
    std::int64_t covered;
  } const cases[] = {
      {{}, 60},
      {{quiet_between(0, 100)}, 60},
      {{quiet_between(160, 200)}, 60},
      {{quiet_between(100, 160)}, 0},
      {{quiet_between(0, 1000)}, 0},
      {{quiet_between(90, 110)}, 50},
      {{quiet_between(150, 170)}, 50},
      {{quiet_between(120, 130)}, 50},
      {{quiet_between(130, 140), quiet_between(110, 120)}, 40},
      {{quiet_between(110, 150), quiet_between(120, 130)}, 20},
      {{quiet_between(110, 130), quiet_between(120, 140)}, 30},
      {{quiet_between(110, 130, false)}, 60},
      {{quiet_between(110, 130, false), quiet_between(120, 125)}, 55},
  };
  for (auto const& c : cases) {
    CAPTURE(&c - cases);
    CHECK(outside(c.all, 100, 60) == c.covered);
  }
  // Parts of seconds are not covered.
  CHECK(length_outside(std::vector{quiet_time{{0}, {500'000}}}, {0}, std::chrono::seconds(2)).count() == 1);
}

TEST_CASE("the covered length agrees with a count of each second") {
  std::mt19937 random(17);
  for (int round = 0; round < 2000; ++round) {
    std::vector<quiet_time> all;
    for (auto left = random() % 5; left > 0; --left) {
      auto const start = static_cast<std::int64_t>(random() % 100);
      all.push_back(quiet_between(start, start + static_cast<std::int64_t>(random() % 40), random() % 4 != 0));
    }
    auto const start = static_cast<std::int64_t>(random() % 100), length = static_cast<std::int64_t>(random() % 60);
    std::int64_t counted = 0;
    for (auto second = start; second < start + length; ++second) {
      bool excluded = false;
      for (auto const& each : all) excluded = excluded || (each.excludes && each.contains({second * 1'000'000}));
      counted += excluded ? 0 : 1;
    }
    REQUIRE(outside(all, start, length) == counted);
  }
}

}  // namespace svc::alerting
