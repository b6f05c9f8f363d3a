#include "model/simulator.hpp"
#include "model/world.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace svc::model;

namespace {

constexpr std::uint64_t least_states = 1'000'000;

std::uint64_t number_of(char const* variable, std::uint64_t otherwise) {
  char const* set = std::getenv(variable);
  return set != nullptr ? std::strtoull(set, nullptr, 10) : otherwise;
}

}  // namespace

// SVC_MODEL_LONG=1 adds the worlds that take minutes.
TEST_CASE("no interleaving of a small world breaks an invariant") {
  bool const is_long = number_of("SVC_MODEL_LONG", 0) != 0;
  std::uint64_t states = 0;
  std::string per_world;
  for (world const& w : small_worlds()) {
    if (w.only_long && !is_long) continue;
    CAPTURE(w.name);
    outcome const found = explore(w, {});
    INFO(found.trace);
    CHECK(found.broken == nullptr);
    per_world += '\n' + w.name + ": " + std::to_string(found.states);
    states += found.states;
  }
  MESSAGE("states of small worlds: " << states << per_world);
  CHECK(states >= least_states);
}

// SVC_MODEL_RUNS and SVC_MODEL_LENGTH make it longer, SVC_MODEL_SEED changes the first seed; one run with its seed
// repeats what was found.
TEST_CASE("no long random run breaks an invariant") {
  std::uint64_t const runs = number_of("SVC_MODEL_RUNS", 100'000), first = number_of("SVC_MODEL_SEED", 1);
  int const length = static_cast<int>(number_of("SVC_MODEL_LENGTH", 150));
  std::uint64_t steps = 0;
  tally sum{};
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    outcome const found = wander({}, seed, length);
    steps += found.states;
    sum += found.counted;
    INFO(found.trace);
    REQUIRE(found.broken == nullptr);
  }
  MESSAGE(runs << " runs, " << steps << " steps");
  if (runs < 1000) return;
  // Everything in the protocol must have happened, or the runs prove nothing.
  for (std::size_t i = 0; i < sum.value.size(); ++i) {
    INFO(i);
    CHECK(sum.value[i] > 0);
  }
}
