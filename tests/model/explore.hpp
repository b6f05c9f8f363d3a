#pragma once

#include "model/simulator.hpp"

namespace svc::model {

struct outcome {
  std::uint64_t states = 0;
  char const* broken = nullptr;
  std::string trace{};  ///< of a broken invariant, readable
  tally counted{};
};

/// Explores every interleaving, depth first; does not enter a state twice.
outcome explore(world const& where, rules const& rules);

/// One long run with events and requests drawn from `seed`: the same seed gives the same run.
outcome wander(rules const& rules, std::uint64_t seed, int length);

}  // namespace svc::model
