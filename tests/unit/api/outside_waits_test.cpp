#include "svc/api/outside_waits.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <vector>

using namespace svc;
using namespace std::chrono_literals;

TEST_CASE(
    "a limited number of requests wait outside, a quarter of them for one organization, and slots are returned") {
  api::outside_waits waits(8);
  auto const a = uuid::generate_v7(), b = uuid::generate_v7();
  std::vector<api::outside_waits::slot> held;
  for (int i = 0; i < 2; ++i) held.push_back(waits.enter(a).value());
  CHECK(waits.enter(a).error().code == errc::overloaded);
  held.push_back(waits.enter(b).value());
  CHECK(waits.waiting() == 3);
  held.pop_back();
  held.pop_back();
  CHECK(waits.waiting() == 1);
  held.push_back(waits.enter(a).value());
  CHECK_FALSE(waits.enter(a).has_value());
  while (waits.waiting() < 8) held.push_back(waits.enter(uuid::generate_v7()).value());
  CHECK(waits.enter(b).error().code == errc::overloaded);
  held.clear();
  CHECK(waits.waiting() == 0);
  CHECK(waits.enter(a).has_value());
}

TEST_CASE("a slot may outlive its pool, and even one is enough for an organization") {
  std::optional<api::outside_waits::slot> slot;
  {
    api::outside_waits waits(1);
    slot.emplace(waits.enter(uuid::generate_v7()).value());
    CHECK_FALSE(waits.enter(uuid::generate_v7()).has_value());
  }
  slot.reset();
}

TEST_CASE("a request that waits outside gives up after its attempts and 5 s, at most after a minute") {
  auto const start = steady::now();
  CHECK(api::outside_deadline(10s).at() - start >= 15s);
  CHECK(api::outside_deadline(10s).at() - start < 16s);
  CHECK(api::outside_deadline(1h).at() - start >= 60s);
  CHECK(api::outside_deadline(1h).at() - start < 61s);
}
