#include "monitoring/checks/plan_cache.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace svc;
using std::chrono::seconds;

namespace {

uuid const shop = uuid::generate_v7(), neighbour = uuid::generate_v7();

checks::check_plan plan_of(std::size_t bytes, std::int64_t version = 1) {
  return {.check_version = version, .interval = seconds(60), .bytes = bytes};
}

bool has(checks::plan_cache& cache, uuid const& monitor, std::int64_t version = 1, seconds interval = seconds(60)) {
  return cache.find(monitor, version, interval) != nullptr;
}

}  // namespace

TEST_CASE("a plan is found by its monitor, version and interval") {
  checks::plan_cache cache;
  auto const monitor = uuid::generate_v7();
  cache.keep(shop, monitor, plan_of(100));
  CHECK(has(cache, monitor));
  CHECK_FALSE(has(cache, monitor, 2));
  CHECK_FALSE(has(cache, monitor, 1, seconds(30)));
  CHECK_FALSE(has(cache, uuid::generate_v7()));
  cache.keep(shop, monitor, plan_of(40, 2));
  CHECK(has(cache, monitor, 2));
  CHECK_FALSE(has(cache, monitor));
  CHECK(cache.size() == 1);
  CHECK(cache.bytes() == 40);
}

TEST_CASE("a cache keeps a limited number of bytes, and the least recently used plan is removed first") {
  checks::plan_cache cache(100);
  std::vector<uuid> all;
  for (int i = 0; i < 4; ++i) all.push_back(uuid::generate_v7());
  for (int i = 0; i < 3; ++i) cache.keep(shop, all[static_cast<std::size_t>(i)], plan_of(30));
  CHECK(cache.bytes() == 90);
  CHECK(has(cache, all[0]));
  cache.keep(shop, all[3], plan_of(40));
  CHECK_FALSE(has(cache, all[1]));
  CHECK(has(cache, all[0]));
  CHECK(has(cache, all[2]));
  CHECK(cache.bytes() == 100);
  // One that fills the cache.
  cache.keep(shop, all[1], plan_of(100));
  CHECK(cache.size() == 1);
  // A plan that is larger than the cache costs no other plan its place.
  cache.keep(shop, all[0], plan_of(101));
  CHECK_FALSE(has(cache, all[0]));
  CHECK(has(cache, all[1]));
  CHECK(cache.bytes() == 100);
}

TEST_CASE("a project with more than a quarter of the cache gives up its own plans, not those of others") {
  checks::plan_cache cache(100);
  std::vector<uuid> theirs, own;
  for (int i = 0; i < 3; ++i) cache.keep(neighbour, theirs.emplace_back(uuid::generate_v7()), plan_of(10));
  // A single one may fill the cache next to them.
  for (int i = 0; i < 7; ++i) cache.keep(shop, own.emplace_back(uuid::generate_v7()), plan_of(10));
  CHECK(cache.bytes() == 100);
  CHECK(has(cache, own[0]));
  for (int i = 0; i < 20; ++i) cache.keep(shop, own.emplace_back(uuid::generate_v7()), plan_of(10));
  for (auto const& each : theirs) CHECK(has(cache, each));
  CHECK_FALSE(has(cache, own[0]));
  CHECK(has(cache, own.back()));
  // A project below its quarter gets what was not used for longest, whosever it is.
  auto const small = uuid::generate_v7();
  cache.keep(uuid::generate_v7(), small, plan_of(20));
  CHECK(has(cache, small));
  CHECK(cache.bytes() == 100);
  CHECK(cache.size() == 9);
}

TEST_CASE("a plan is removed with its monitor") {
  checks::plan_cache cache;
  auto const monitor = uuid::generate_v7();
  cache.keep(shop, monitor, plan_of(100));
  cache.remove(monitor);
  cache.remove(monitor);
  CHECK_FALSE(has(cache, monitor));
  CHECK(cache.bytes() == 0);
  CHECK(cache.size() == 0);
}

TEST_CASE("the account of plans shows the kept bytes, and the owners of removed plans") {
  account book(checks::plan_cache::terms(1));
  {
    checks::plan_cache cache(100, &book);
    for (int i = 0; i < 10; ++i) cache.keep(shop, uuid::generate_v7(), plan_of(10));
    CHECK(book.held() == 100);
    CHECK(book.refused() == 0);
    cache.keep(shop, uuid::generate_v7(), plan_of(10));
    CHECK(book.held() == 100);
    CHECK(book.refused() == 1);
    CHECK(book.sums_of({.project = shop}).project == 100);
  }
  CHECK(book.held() == 0);
}
