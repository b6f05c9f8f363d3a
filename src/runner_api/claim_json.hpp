#pragma once

#include "svc/store/runners/runner_store.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace svc::runner_api {

/// Writes the answer to a claim in steps, because it contains scripts as the database wrote them, which may
/// be megabytes. `batch` outlives it.
class claims_writer {
 public:
  claims_writer(store::claim_batch const& batch, std::chrono::seconds lease) : batch_(batch), lease_(lease) {}

  /// Returns the approximate size of the whole answer, to reserve memory for it.
  std::size_t size() const;
  /// Adds about `most` bytes. Returns false at the end.
  bool step(std::string& out, std::size_t most);

 private:
  store::claim_batch const& batch_;
  std::chrono::seconds lease_;
  std::size_t run_ = 0;
  std::size_t position_ = 0;  ///< offset in the run's tests
};

/// Returns the whole answer in one step.
std::string claims_json(store::claim_batch const& batch, std::chrono::seconds lease);

}  // namespace svc::runner_api
