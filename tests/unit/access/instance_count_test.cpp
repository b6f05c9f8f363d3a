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

/// What both stores said at one heartbeat; `silent`: no answer.
struct heartbeat {
  int postgres, redis;
  int count;  ///< afterwards
  std::string_view origin;
};

/// One heartbeat every three seconds.
void follow(instance_count& of, std::vector<heartbeat> const& all, steady::time_point& now) {
  int number = 0;
  for (auto const& one : all) {
    CAPTURE(number);
    ++number;
    now += instance_interval;
    if (one.redis == silent)
      of.missed(registry::redis);
    else
      of.heard(registry::redis, one.redis, now);
    if (one.postgres == silent)
      of.missed(registry::postgres);
    else
      of.heard(registry::postgres, one.postgres, now);
    CHECK(of.count() == one.count);
    CHECK(name_of(of.origin(now)) == one.origin);
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
    instance_count of(7);
    auto now = begin;
    of.heard(registry::postgres, 1, now - instance_count::newcomer_time);
    follow(of, c.then, now);
  }
}

TEST_CASE("instances: the configuration counts until a store has been heard") {
  instance_count of(5);
  CHECK(of.divisor(begin) == 5);
  CHECK(of.origin(begin) == source::configuration);
  of.missed(registry::redis);
  of.missed(registry::postgres);
  CHECK(of.divisor(begin) == 5);
  CHECK_FALSE(of.said(registry::postgres));
  of.heard(registry::postgres, 2, begin);
  CHECK(of.count() == 2);
  CHECK(of.said(registry::postgres) == 2);
  of.missed(registry::postgres);
  CHECK_FALSE(of.said(registry::postgres));
  CHECK(of.count() == 2);
  CHECK(instance_count(0).divisor(begin) == 1);
  // Itself at least.
  instance_count alone(5);
  alone.heard(registry::redis, 0, begin);
  CHECK(alone.count() == 1);
}

TEST_CASE("instances: a newcomer divides by the square until the others have counted it") {
  instance_count of(1);
  of.heard(registry::redis, 3, begin);
  // Redis's list is not read by who is without Redis.
  CHECK(of.divisor(begin + 1h) == 9);
  of.heard(registry::postgres, 4, begin + 1h);
  CHECK(of.divisor(begin + 1h) == 16);
  CHECK(of.divisor(begin + 1h + instance_count::newcomer_time - 1ms) == 16);
  CHECK(of.divisor(begin + 1h + instance_count::newcomer_time) == 4);
  // Its entry lives on over a short pause.
  of.missed(registry::postgres);
  of.heard(registry::postgres, 4, begin + 1h + 9s);
  CHECK(of.divisor(begin + 1h + 9s) == 4);
  // Away for longer, it comes anew.
  of.heard(registry::postgres, 4, begin + 1h + 9s + instance_age);
  CHECK(of.divisor(begin + 1h + 9s + instance_age) == 16);
  CHECK(of.origin(begin + 1h + 9s + instance_age) == source::newcomer);
  CHECK(of.divisor(begin + 2h) == 4);
}

TEST_CASE("instances: a pause of the process is not an agreement") {
  instance_count of(1);
  auto now = begin;
  for (int n : {3, 3, 3}) follow(of, {{n, n, 3, now < begin + 6s ? "newcomer" : "stores"}}, now);
  follow(of, {{2, 2, 3, "earlier"}}, now);
  now += 1h;
  of.heard(registry::redis, 2, now);
  of.heard(registry::postgres, 2, now);
  CHECK(of.count() == 3);
}
