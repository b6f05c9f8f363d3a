#include "net/request_body.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using svc::steady;
using svc::net::body_pace;
using svc::net::session_settings;

namespace {

session_settings const settings{.body_window = 10s, .body_window_bytes = 5000, .body_total = 120s};
steady::time_point const start{100s};

}  // namespace

TEST_CASE("a silent client is too slow after one window, not before") {
  body_pace pace(settings, start);
  CHECK(pace.due() == start + 10s);
  CHECK_FALSE(pace.too_slow(start + 10s - 1ns));
  CHECK(pace.due() == start + 10s);
  CHECK(pace.too_slow(start + 10s));
  CHECK(pace.too_slow(start));
}

TEST_CASE("the bytes of a window decide") {
  for (auto const& [bytes, slow] : {std::pair{4999UL, true}, {5000UL, false}, {5001UL, false}}) {
    CAPTURE(bytes);
    body_pace pace(settings, start);
    pace.count(start + 9s, bytes);
    CHECK(pace.too_slow(start + 10s) == slow);
  }
}

TEST_CASE("a burst counts for ten seconds and no longer") {
  body_pace pace(settings, start);
  pace.count(start + 4500ms, 1'000'000);
  CHECK_FALSE(pace.too_slow(start + 14s));
  CHECK(pace.due() == start + 15s);
  CHECK(pace.too_slow(start + 15s));
}

TEST_CASE("steady clients: the rate decides") {
  for (auto const& [rate, slow] : {std::pair{499UL, true}, {500UL, false}}) {
    CAPTURE(rate);
    body_pace pace(settings, start);
    for (auto second = 0s; second < 60s; ++second) pace.count(start + second + 500ms, rate);
    CHECK(pace.too_slow(start + 60s) == slow);
  }
}

TEST_CASE("no body takes longer than its total") {
  body_pace pace(settings, start);
  for (auto second = 0s; second < 120s; ++second) pace.count(start + second, 10'000);
  CHECK_FALSE(pace.too_slow(start + 120s - 1ns));
  CHECK(pace.due() == start + 120s);
  CHECK(pace.too_slow(start + 120s));
}

TEST_CASE("responses have a pace of their own") {
  auto of_responses = settings;
  of_responses.write = 2s;
  of_responses.write_window_bytes = 100;
  of_responses.write_total = 30s;
  for (auto const& [bytes, slow] : {std::pair{99UL, true}, {100UL, false}}) {
    CAPTURE(bytes);
    body_pace pace(svc::net::pace_limits::of_responses(of_responses), start);
    pace.count(start + 1s, bytes);
    CHECK(pace.too_slow(start + 2s) == slow);
  }
  body_pace pace(svc::net::pace_limits::of_responses(of_responses), start);
  for (int i = 1; i < 30; ++i) pace.count(start + std::chrono::seconds(i), 1'000'000);
  CHECK_FALSE(pace.too_slow(start + 30s - 1ns));
  CHECK(pace.too_slow(start + 30s));
}
