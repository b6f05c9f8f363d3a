#include "svc/access/instance_count.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace svc;
using namespace std::chrono_literals;
using access::instance_count;
using registry = instance_count::registry;
using source = instance_count::source;

namespace {

constexpr steady::time_point begin(1000s);
constexpr int silent = 0;

/// The answers of both stores at one heartbeat; `silent`: no answer.
struct heartbeat {
  int postgres, redis;
  int count;  ///< afterwards
  std::string_view origin;
};

/// Follows the heartbeats, one every three seconds.
void follow(instance_count& count, std::vector<heartbeat> const& all, steady::time_point& now) {
  int number = 0;
  for (auto const& heartbeat : all) {
    CAPTURE(number);
    ++number;
    now += instance_interval;
    if (heartbeat.redis == silent)
      count.missed(registry::redis);
    else
      count.heard(registry::redis, heartbeat.redis, now);
    if (heartbeat.postgres == silent)
      count.missed(registry::postgres);
    else
      count.heard(registry::postgres, heartbeat.postgres, now);
    CHECK(count.count() == heartbeat.count);
    CHECK(name_of(count.origin(now)) == heartbeat.origin);
  }
}

}  // namespace

TEST_CASE("instances: the larger number at once, a smaller one when both stores have said so for ten seconds") {
  struct {
    char const* name;
    std::vector<heartbeat> then;
  } const table[] = {
      {"both say the same", {{3, 3, 3, "stores"}, {3, 3, 3, "stores"}}},
      {"one says more", {{3, 4, 4, "stores"}, {5, 4, 5, "stores"}}},
      {"agreed",
       {{3, 3, 3, "stores"},
        {2, 2, 3, "earlier"},
        {2, 2, 3, "earlier"},
        {2, 2, 3, "earlier"},
        {2, 2, 3, "earlier"},
        {2, 2, 2, "stores"}}},
      {"one store still knows it",
       {{3, 3, 3, "stores"}, {2, 3, 3, "stores"}, {2, 3, 3, "stores"}, {2, 3, 3, "stores"}, {2, 3, 3, "stores"}}},
      {"the most that was said meanwhile",
       {{5, 5, 5, "stores"},
        {2, 2, 5, "earlier"},
        {2, 4, 5, "earlier"},
        {2, 2, 5, "earlier"},
        {3, 2, 5, "earlier"},
        {2, 2, 4, "earlier"},
        {2, 2, 4, "earlier"},
        {2, 2, 4, "earlier"},
        {2, 2, 4, "earlier"},
        {2, 2, 2, "stores"}}},
      {"Redis is away: it only grows",
       {{3, 3, 3, "stores"},
        {2, silent, 3, "earlier"},
        {1, silent, 3, "earlier"},
        {1, silent, 3, "earlier"},
        {1, silent, 3, "earlier"},
        {1, silent, 3, "earlier"},
        {4, silent, 4, "stores"},
        {1, silent, 4, "earlier"}}},
      {"PostgreSQL is away: it only grows",
       {{3, 3, 3, "stores"},
        {silent, 1, 3, "earlier"},
        {silent, 1, 3, "earlier"},
        {silent, 1, 3, "earlier"},
        {silent, 1, 3, "earlier"},
        {silent, 1, 3, "earlier"},
        {silent, 4, 4, "stores"}}},
      {"a heartbeat without an answer begins the agreement anew",
       {{3, 3, 3, "stores"},
        {2, 2, 3, "earlier"},
        {2, 2, 3, "earlier"},
        {2, silent, 3, "earlier"},
        {2, 2, 3, "earlier"},
        {2, 2, 3, "earlier"},
        {2, 2, 3, "earlier"},
        {2, 2, 3, "earlier"},
        {2, 2, 2, "stores"}}},
  };
  for (auto const& c : table) {
    CAPTURE(c.name);
    instance_count count(7);
    auto now = begin;
    count.heard(registry::postgres, 1, now - instance_count::newcomer_time);
    follow(count, c.then, now);
  }
}

TEST_CASE("instances: the configuration counts until a store has answered") {
  instance_count count(5);
  CHECK(count.divisor(begin) == 5);
  CHECK(count.origin(begin) == source::configuration);
  count.missed(registry::redis);
  count.missed(registry::postgres);
  CHECK(count.divisor(begin) == 5);
  CHECK_FALSE(count.said(registry::postgres));
  count.heard(registry::postgres, 2, begin);
  CHECK(count.count() == 2);
  CHECK(count.said(registry::postgres) == 2);
  count.missed(registry::postgres);
  CHECK_FALSE(count.said(registry::postgres));
  CHECK(count.count() == 2);
  CHECK(instance_count(0).divisor(begin) == 1);
  // The count includes at least the instance itself.
  instance_count alone(5);
  alone.heard(registry::redis, 0, begin);
  CHECK(alone.count() == 1);
}

TEST_CASE("instances: a newcomer divides by the square until the others have counted it") {
  instance_count count(1);
  count.heard(registry::redis, 3, begin);
  // An instance without Redis does not read Redis's list.
  CHECK(count.divisor(begin + 1h) == 9);
  count.heard(registry::postgres, 4, begin + 1h);
  CHECK(count.divisor(begin + 1h) == 16);
  CHECK(count.divisor(begin + 1h + instance_count::newcomer_time - 1ms) == 16);
  CHECK(count.divisor(begin + 1h + instance_count::newcomer_time) == 4);
  // Its entry survives a short pause.
  count.missed(registry::postgres);
  count.heard(registry::postgres, 4, begin + 1h + 9s);
  CHECK(count.divisor(begin + 1h + 9s) == 4);
  // After a longer absence the instance counts as new.
  count.heard(registry::postgres, 4, begin + 1h + 9s + instance_age);
  CHECK(count.divisor(begin + 1h + 9s + instance_age) == 16);
  CHECK(count.origin(begin + 1h + 9s + instance_age) == source::newcomer);
  CHECK(count.divisor(begin + 2h) == 4);
}

TEST_CASE("instances: a pause of the process is not an agreement") {
  instance_count count(1);
  auto now = begin;
  for (int n : {3, 3, 3}) follow(count, {{n, n, 3, now < begin + 6s ? "newcomer" : "stores"}}, now);
  follow(count, {{2, 2, 3, "earlier"}}, now);
  now += 1h;
  count.heard(registry::redis, 2, now);
  count.heard(registry::postgres, 2, now);
  CHECK(count.count() == 3);
}
