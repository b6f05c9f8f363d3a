#include "svc/access/local_window.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace std::chrono_literals;

TEST_CASE("a window of one worker admits its limit in any interval, and again when the oldest leaves") {
  access::local_window window(rate_class::anonymous, {3, 60});
  auto const t = steady::time_point(1000s);
  for (std::uint32_t i = 0; i < 3; ++i) {
    auto const d = window.count("a", t + i * 1s, 0);
    CHECK(d.admitted);
    CHECK(d.remaining == 2 - i);
  }
  auto const denied = window.count("a", t + 59s, 1'000'000'000);
  CHECK_FALSE(denied.admitted);
  CHECK(denied.remaining == 0);
  CHECK(denied.retry_micros == 1'001'000'000);
  CHECK(window.count("b", t + 59s, 0).admitted);
  CHECK_FALSE(window.count("a", t + 60s - 1ns, 0).admitted);
  CHECK(window.count("a", t + 60s, 0).admitted);
  CHECK_FALSE(window.count("a", t + 60s, 0).admitted);
}

TEST_CASE("the table is bounded and drops the least recent subject") {
  access::local_window window(rate_class::anonymous, {1, 60}, 2);
  auto const t = steady::time_point(1000s);
  window.count("a", t, 0);
  window.count("b", t, 0);
  CHECK_FALSE(window.count("a", t, 0).admitted);
  window.count("c", t, 0);
  CHECK(window.subjects() == 2);
  CHECK_FALSE(window.count("a", t, 0).admitted);
  CHECK(window.count("b", t, 0).admitted);
}

TEST_CASE("after the limit was lowered, the retry is when fewer than that are left") {
  access::local_window window(rate_class::cli, {3, 60});
  auto const t = steady::time_point(1000s);
  for (int i = 0; i < 3; ++i) CHECK(window.count("a", t + i * 10s, 0).admitted);
  window.change({1, 60});
  auto const denied = window.count("a", t + 30s, 1'000'000'000);
  CHECK_FALSE(denied.admitted);
  CHECK(denied.remaining == 0);
  CHECK(denied.reset_micros == 1'030'000'000);
  CHECK(denied.retry_micros == 1'050'000'000);
  CHECK_FALSE(window.count("a", t + 80s - 1ns, 0).admitted);
  CHECK(window.count("a", t + 80s, 0).admitted);
}
