#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

#include <cstddef>
#include <map>

namespace svc::runner_api {

/// Lets each claim of a busy runner find more runs, because a claim of one run costs PostgreSQL nearly as much as a
/// claim of twenty. If a claim finds several runs, but fewer than it asked for, the runner's next claim looks at
/// least `distance` later. A runner whose claims find one run at a time never waits. Pure; one for each worker.
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
  static constexpr std::size_t most_runners = 1000;  ///< beyond this number, runners that no longer wait are removed

  std::map<uuid, steady::time_point> next_{};
};

}  // namespace svc::runner_api
