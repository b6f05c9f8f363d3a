#include "svc/domain/monitoring/checks/packed_hour.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

namespace svc::checks {
namespace {

constexpr std::int64_t an_hour_begins = 1'795'600'800'000;

template <class Number>
std::optional<Number> some(std::mt19937& random, unsigned often, Number value) {
  return random() % 8 < often ? std::optional(value) : std::nullopt;
}

/// An hour of https checks as they usually are.
std::vector<kept_result> usual_hour(std::mt19937& random, int checks) {
  std::vector<kept_result> out;
  std::normal_distribution<double> jitter(0, 60), speed(180, 25);
  for (int i = 0; i < checks; ++i) {
    kept_result r;
    r.slot = 29'000'000 + i;
    r.started_ms = an_hour_begins + std::int64_t{3'600'000} * i / checks + static_cast<std::int64_t>(jitter(random));
    r.status_code = 200;
    auto const first = static_cast<std::uint32_t>(std::max(20.0, speed(random)));
    r.phases = {1 + random() % 9, 8 + random() % 12, 20 + random() % 30, first, random() % 5};
    r.response_time_ms = 32 + first + random() % 60;
    if (i % 31 == 30) {
      r.ended = status::timeout;
      r.code = code::first_byte_timeout;
      r.status_code.reset();
      r.attempts = 3;
      r.status_change = true;
    }
    out.push_back(r);
  }
  return out;
}

/// Anything that the type can hold.
kept_result any_result(std::mt19937& random) {
  auto const number = [&] { return static_cast<std::uint32_t>(random() >> random() % 32); };
  auto const wide = [&] { return static_cast<std::int64_t>(static_cast<std::uint64_t>(number()) << 32 | number()); };
  kept_result r;
  r.slot = random() % 4 == 0 ? std::numeric_limits<std::int64_t>::min() : wide();
  r.started_ms = random() % 4 == 0 ? std::numeric_limits<std::int64_t>::max() : -wide();
  r.ended = static_cast<status>(random() % status_count);
  r.code = some(random, 3, static_cast<code>(random() % code_count));
  r.degraded = random() % 2 == 0;
  r.status_change = random() % 2 == 0;
  r.maintenance = random() % 2 == 0;
  r.asked_by = static_cast<kind>(random() % 3);
  r.attempts = random() % 2 == 0 ? 1 : number();
  r.status_code = some(random, 6, static_cast<std::uint16_t>(random()));
  r.response_time_ms = some(random, 6, number());
  r.phases = {some(random, 4, number()), some(random, 4, number()), some(random, 4, number()),
              some(random, 4, number()), some(random, 4, number())};
  return r;
}

TEST_CASE("packed results are read back, whatever they are") {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same each run
  for (int round = 0; round < 500; ++round) {
    std::vector<kept_result> results(random() % 70);
    for (auto& each : results) each = any_result(random);
    auto const read = read_packed(packed(results));
    REQUIRE(read.has_value());
    CHECK((*read == results));
  }
}

TEST_CASE("a usual result takes 10 to 14 bytes") {
  std::mt19937 random(3);  // NOLINT(cert-msc51-cpp): the same each run
  for (int const checks : {60, 360}) {
    auto const hour = usual_hour(random, checks);
    auto const bytes = packed(hour);
    auto const each = static_cast<double>(bytes.size()) / checks;
    MESSAGE(checks << " results: " << each << " bytes each");
    CHECK(each <= 14);
    CHECK((read_packed(bytes) == hour));
  }
}

TEST_CASE("the packed form never changes") {
  kept_result a{.slot = 5,
                .started_ms = 1000,
                .status_code = 200,
                .response_time_ms = 12,
                .phases = {.dns_ms = 1, .first_byte_ms = 10}};
  kept_result b{.slot = 6,
                .started_ms = 2001,
                .ended = status::down,
                .code = code::connect_refused,
                .asked_by = kind::confirm,
                .attempts = 3};
  CHECK(packed({a, b}) == byte_vector{1, 2,                                               //
                                      0, 0b0110'1001, 10, 0xD0, 0x0F, 0xC9, 1, 1, 10, 2,  //
                                      0b1000'0101, 0b1100'0000, 0, 2, 3, 0, 4});
  CHECK((read_packed(packed({a, b})) == std::vector{a, b}));
}

TEST_CASE("invalid packed hours are refused: cut, longer, changed") {
  std::mt19937 random(5);  // NOLINT(cert-msc51-cpp): the same each run
  auto const bytes = packed(usual_hour(random, 12));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_FALSE(read_packed(byte_view(bytes).first(size)).has_value());
  }
  auto longer = bytes;
  longer.push_back(0);
  CHECK_FALSE(read_packed(longer).has_value());
  auto newer = bytes;
  newer[0] = 2;
  CHECK_FALSE(read_packed(newer).has_value());
  byte_vector const cases[] = {
      {1, 1, 0b1100, 0, 0, 0},  // a kind that is none
      {1, 1, 128, 0, 0, 0, 1},  // one attempt, written out
      {1, 1, 0, 64, 0, 0, 0},   // the same status code, written out
      {1, 1, 0, 128, 0, 0, code_count + 1},
      {1, 0xFF, 0xFF, 0xFF, 0x7F},  // a number of results that cannot be
  };
  for (auto const& each : cases) CHECK_FALSE(read_packed(each).has_value());
}

TEST_CASE("sums of results, and of sums") {
  kept_result const good{.ended = status::up, .response_time_ms = 100},
      slow{.ended = status::up, .response_time_ms = 301}, late{.ended = status::timeout, .response_time_ms = 10'000},
      ours{.ended = status::error};
  summary a, b;
  a.add(good);
  a.add(late);
  b.add(slow);
  b.add(ours);
  a.add(b);
  CHECK(a.checks == 4);
  CHECK(a.up == 2);
  CHECK(a.down == 1);
  CHECK(a.sum_ms == 401);
  CHECK(a.average_ms() == 200);
  CHECK(a.min_ms == 100);
  CHECK(a.max_ms == 301);
  CHECK(a.times.count() == 2);
  summary none;
  CHECK_FALSE(none.average_ms());
  none.add(summary());
  CHECK((none == summary()));
}

}  // namespace
}  // namespace svc::checks
