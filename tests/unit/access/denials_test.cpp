#include "svc/access/local_window.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace std::chrono_literals;

namespace {

constexpr steady::time_point sent(1000s);

limit_decision denied(std::int64_t retry_after_micros) {
  limit_decision d;
  d.now_micros = 7'000'000;
  d.retry_micros = d.now_micros + retry_after_micros;
  return d;
}

}  // namespace

TEST_CASE("a denial is remembered until its slot becomes free, for 50 ms at most") {
  struct {
    std::int64_t retry_after;
    std::chrono::microseconds holds;
  } const table[] = {{20'000, 20ms}, {50'000, 50ms}, {50'001, 50ms}, {60'000'000, 50ms}};
  for (auto const& row : table) {
    CAPTURE(row.retry_after);
    access::denials d;
    d.remember("k", denied(row.retry_after), sent);
    CHECK(d.find("k", sent + row.holds - 1us));
    CHECK_FALSE(d.find("k", sent + row.holds));
    CHECK_FALSE(d.find("k", sent));  // deleted, not hidden
  }
}

TEST_CASE("a denial whose slot is already free is not remembered") {
  for (std::int64_t const retry_after : {0, -1}) {
    access::denials d;
    d.remember("k", denied(retry_after), sent);
    CHECK_FALSE(d.find("k", sent));
  }
}

TEST_CASE("the time in a remembered denial advances, its slot stays") {
  access::denials d;
  d.remember("k", denied(50'000), sent);
  auto const found = d.find("k", sent + 30ms);
  REQUIRE(found);
  CHECK(found->now_micros == 7'030'000);
  CHECK(found->retry_micros == 7'050'000);
}

TEST_CASE("each window has its own") {
  access::denials d;
  d.remember("a", denied(50'000), sent);
  CHECK_FALSE(d.find("b", sent));
}

TEST_CASE("it is bounded: when full, it drops expired entries and accepts nothing else") {
  access::denials d;
  for (int i = 0; i < 10'000; ++i) d.remember(std::to_string(i), denied(50'000), sent);
  d.remember("late", denied(50'000), sent + 49ms);
  CHECK_FALSE(d.find("late", sent + 49ms));
  d.remember("later", denied(50'000), sent + 50ms);
  CHECK(d.find("later", sent + 50ms));
}
