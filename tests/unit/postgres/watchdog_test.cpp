#include "postgres/watchdog.hpp"

#include <doctest/doctest.h>

#include <optional>

using namespace svc;
using postgres::watchdog;

namespace {

struct kennel {
  asio::io_context io{1};
  int barks = 0;
  std::optional<watchdog> dog{std::in_place, io, [this] { ++barks; }};
};

constexpr milliseconds soon{5};
constexpr std::chrono::hours far{1};

}  // namespace

TEST_CASE("a guarded wait that outlives its deadline is reported once") {
  kennel k;
  k.dog->guard(deadline::after(soon));
  CHECK_FALSE(k.dog->expired());
  k.io.run();
  CHECK(k.barks == 1);
  CHECK(k.dog->expired());
  k.dog->guard(deadline::after(soon));
  CHECK_FALSE(k.dog->expired());
}

TEST_CASE("at rest it is silent, and a remaining timer ends by itself") {
  kennel k;
  k.dog->guard(deadline::after(soon));
  k.dog->rest();
  k.io.run();
  CHECK(k.barks == 0);
  CHECK_FALSE(k.dog->expired());
}

TEST_CASE("the deadline that counts is the last one") {
  struct {
    char const* name;
    steady::duration first, second;
  } const cases[] = {{"later: the armed timer moves on", soon, 3 * soon}, {"earlier: armed anew", far, soon}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    kennel k;
    k.dog->guard(deadline::after(c.first));
    k.dog->rest();
    auto const last = deadline::after(c.second);
    k.dog->guard(last);
    k.io.run();
    CHECK(k.barks == 1);
    CHECK(last.passed());
  }
}

TEST_CASE("cancelled or destroyed, it lets the worker end and reports nothing") {
  kennel k;
  k.dog->guard(deadline::after(far));
  SUBCASE("cancelled") {
    k.dog->cancel();
  }
  SUBCASE("gone") {
    k.dog.reset();
  }
  k.io.run();
  CHECK(k.barks == 0);
}
