#include "egress/dns/dns_memory.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::egress;
using namespace std::literals;

namespace {

steady::time_point const start = steady::time_point() + 1h;
std::vector<ip_address> const addresses{*ip_address::parse("203.0.113.9")};

}  // namespace

TEST_CASE("servers are judged by answers about other names, since a moment") {
  server_health health;
  CHECK_FALSE(health.answered_others("a", start));
  health.answered("a", start);
  CHECK_FALSE(health.answered_others("a", start));
  CHECK(health.answered_others("b", start));
  CHECK(health.answered_others("b", start - 1s));
  CHECK_FALSE(health.answered_others("b", start + 1ms));
}

TEST_CASE("a name that is requested repeatedly does not hide another") {
  server_health health;
  health.answered("a", start);
  for (int i = 0; i < 10; ++i) health.answered("b", start + 1s);
  CHECK(health.answered_others("b", start));
  CHECK(health.answered_others("a", start + 1s));
}

TEST_CASE("addresses are cached for their TTL, at most for the limit, and by family") {
  address_cache cache(10, 60s);
  cache.put("a", ip_family::any, addresses, 10s, start);
  CHECK(cache.find("a", ip_family::v4, 1min, start) == nullptr);
  CHECK(cache.find("b", ip_family::any, 1min, start) == nullptr);
  REQUIRE(cache.find("a", ip_family::any, 1min, start) != nullptr);
  CHECK(*cache.find("a", ip_family::any, 1min, start) == addresses);
  CHECK(cache.find("a", ip_family::any, 1min, start + 10s - 1ms) != nullptr);
  CHECK(cache.find("a", ip_family::any, 1min, start + 10s) == nullptr);
  // what the caller allows
  CHECK(cache.find("a", ip_family::any, 5s, start + 5s - 1ms) != nullptr);
  CHECK(cache.find("a", ip_family::any, 5s, start + 5s) == nullptr);
  CHECK(cache.find("a", ip_family::any, 0ms, start) == nullptr);
  // the limit
  cache.put("c", ip_family::any, addresses, std::chrono::seconds::max(), start);
  CHECK(cache.find("c", ip_family::any, 1h, start + 60s - 1ms) != nullptr);
  CHECK(cache.find("c", ip_family::any, 1h, start + 60s) == nullptr);
}

TEST_CASE("a TTL of zero caches nothing, and removes the cached answer") {
  address_cache cache(10, 60s);
  cache.put("a", ip_family::any, addresses, 10s, start);
  cache.put("a", ip_family::any, addresses, 0s, start);
  CHECK(cache.size() == 0);
}

TEST_CASE("the cache is bounded: expired answers are removed first") {
  address_cache cache(2, 60s);
  cache.put("a", ip_family::any, addresses, 1s, start);
  cache.put("b", ip_family::any, addresses, 60s, start);
  cache.put("c", ip_family::any, addresses, 60s, start + 2s);
  CHECK(cache.size() == 2);
  CHECK(cache.find("b", ip_family::any, 1h, start + 2s) != nullptr);
  cache.put("d", ip_family::any, addresses, 60s, start + 2s);
  CHECK(cache.size() == 1);
  CHECK(cache.find("d", ip_family::any, 1h, start + 2s) != nullptr);
}
