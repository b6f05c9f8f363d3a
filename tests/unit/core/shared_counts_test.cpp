#include "svc/core/shared_counts.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

std::array<std::uint8_t, 16> owner(std::uint8_t n) {
  return {n};
}

}  // namespace

TEST_CASE("a holder gets up to its limit, and another one its own") {
  svc::shared_counts counts;
  auto const key = counts.key_of(1, owner(1));
  auto const other = counts.key_of(1, owner(2));
  for (int i = 0; i < 3; ++i) CHECK(counts.take(key, 3));
  CHECK_FALSE(counts.take(key, 3));
  CHECK(counts.count(key) == 3);
  CHECK(counts.take(other, 3));
  counts.give_back(key);
  CHECK(counts.take(key, 3));
  CHECK_FALSE(counts.take(key, 3));
  CHECK(counts.count(other) == 1);
}

TEST_CASE("the resource, its holder and the process make up the key") {
  svc::shared_counts counts, elsewhere;
  CHECK(counts.key_of(1, owner(1)) == counts.key_of(1, owner(1)));
  CHECK(counts.key_of(1, owner(1)) != counts.key_of(2, owner(1)));
  CHECK(counts.key_of(1, owner(1)) != counts.key_of(1, owner(2)));
  CHECK(counts.key_of(1, owner(1)) != elsewhere.key_of(1, owner(1)));
}

TEST_CASE("holders that share one counter are distinguished by their other one") {
  svc::shared_counts counts(4);
  // The low bits choose the first counter, those from the 32nd on the second.
  svc::shared_counts::key const key = 0, beside = std::uint64_t{1} << 32;
  for (int i = 0; i < 5; ++i) CHECK(counts.take(key, 5));
  CHECK(counts.take(beside, 5));
  CHECK(counts.count(beside) == 1);
}

TEST_CASE("threads together never take more than there is, and leave nothing") {
  svc::shared_counts counts;
  auto const key = counts.key_of(1, owner(1));
  constexpr int most = 3;
  std::atomic<int> held = 0, worst = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        if (!counts.take(key, most)) continue;
        auto const now = ++held;
        for (auto seen = worst.load(); now > seen && !worst.compare_exchange_weak(seen, now);) {
        }
        --held;
        counts.give_back(key);
      }
    });
  }
  for (auto& each : threads) each.join();
  CHECK(worst >= 1);
  CHECK(worst <= most);
  CHECK(counts.count(key) == 0);
}
