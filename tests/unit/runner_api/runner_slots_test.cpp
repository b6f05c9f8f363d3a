#include "svc/runner_api/runner_slots.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace svc;
using runner_api::runner_slots;
using runner_api::runner_work;

namespace {

uuid token(std::uint8_t n) {
  uuid out;
  out.bytes[15] = n;
  return out;
}

}  // namespace

TEST_CASE("which requests of runners find a place") {
  constexpr runner_slots::bounds most{.all = 8, .claims = 4, .of_token = 3, .claims_of_token = 2};
  using enum runner_work;
  struct {
    char const* name;
    std::vector<std::pair<int, runner_work>> taken;
    int owner;
    runner_work work;
    bool granted;
  } const cases[] = {
      {"the first", {}, 1, claim, true},
      {"a token's second claim", {{1, claim}}, 1, claim, true},
      {"a token's third claim", {{1, claim}, {1, claim}}, 1, claim, false},
      {"its heartbeat beside its claims", {{1, claim}, {1, claim}}, 1, keep, true},
      {"a token's fourth request", {{1, claim}, {1, keep}, {1, keep}}, 1, keep, false},
      {"another token's beside it", {{1, claim}, {1, keep}, {1, keep}}, 2, claim, true},
      {"claims of all tokens are bounded", {{1, claim}, {1, claim}, {2, claim}, {2, claim}}, 3, claim, false},
      {"the other places are for what keeps claims", {{1, claim}, {1, claim}, {2, claim}, {2, claim}}, 3, keep, true},
      {"all are taken",
       {{1, claim}, {1, claim}, {2, claim}, {2, claim}, {3, keep}, {3, keep}, {3, keep}, {4, keep}},
       5,
       keep,
       false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    runner_slots slots(most);
    std::vector<runner_slots::slot> taken;
    for (auto const& [owner, work] : c.taken)
      REQUIRE(taken.emplace_back(slots.take(token(static_cast<std::uint8_t>(owner)), work)));
    CHECK(static_cast<bool>(slots.take(token(static_cast<std::uint8_t>(c.owner)), c.work)) == c.granted);
    CHECK(slots.working() == c.taken.size());
    taken.clear();
    CHECK(slots.working() == 0);
    CHECK(slots.tokens() == 0);
  }
}

TEST_CASE("a request that waits for news has no slot meanwhile, and takes it again in any case") {
  runner_slots slots({.all = 1, .claims = 1, .of_token = 1, .claims_of_token = 1});
  auto waits = slots.take(token(1), runner_work::claim);
  REQUIRE(waits);
  CHECK_FALSE(slots.take(token(2), runner_work::keep));
  {
    runner_slots::slot::rest const resting(waits);
    CHECK(slots.working() == 0);
    auto other = slots.take(token(1), runner_work::claim);
    CHECK(other);
    CHECK_FALSE(slots.take(token(2), runner_work::claim));
  }
  CHECK(slots.working() == 1);
}

TEST_CASE("half of a worker's slots are reserved for requests that keep claims, and one token has a quarter of all") {
  constexpr auto usual = runner_slots::bounds::within(1000);
  CHECK(usual.all == 1000);
  CHECK(usual.claims == 500);
  CHECK(usual.of_token == 250);
  CHECK(usual.claims_of_token == 125);
  constexpr auto few = runner_slots::bounds::within(32);
  CHECK(few.claims == 16);
  CHECK(few.of_token == 8);
  CHECK(few.claims_of_token == 8);
  constexpr auto least = runner_slots::bounds::within(2);
  CHECK(least.claims == 2);
  CHECK(least.claims_of_token == 2);
}
