#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

#include <cstddef>
#include <map>

namespace svc::runner_api {

/// Lets the claims of a busy runner find more runs each. A claim of one run costs PostgreSQL nearly as much as one of
/// twenty; so after a claim that found several, but not as many as it asked for, the runner's next one looks no
/// sooner than `distance` later. A runner whose claims find a run at a time never waits. Pure; one for each worker.
class claim_pace {
 public:
  static constexpr milliseconds distance{40};
  static constexpr std::size_t several = 4;

  /// Returns the time until which the runner's next claim waits; a time in the past if it does not wait.
  steady::time_point looks_at(uuid runner) const;
  /// Records that a claim for `most` runs found `runs`.
  void found(uuid runner, std::size_t runs, std::size_t most, steady::time_point now);
  std::size_t size() const { return next_.size(); }

 private:
  static constexpr std::size_t most_runners = 1000;  ///< more are not kept for longer than they wait

  std::map<uuid, steady::time_point> next_{};
};

}  // namespace svc::runner_api
