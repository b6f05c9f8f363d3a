#pragma once

#include "svc/core/deadline.hpp"

#include <chrono>

namespace svc::public_pages {

/// Remembers whether the source of pages answered a moment ago, so that no visitor waits for a database that is gone.
/// Worker-local; pure: times are parameters.
class source_health {
 public:
  /// Time after a failure in which nobody asks again.
  static constexpr std::chrono::seconds pause{1};

  void failed(steady::time_point now) { again_ = now + pause; }
  void answered() { again_ = {}; }
  bool away(steady::time_point now) const { return now < again_; }

 private:
  steady::time_point again_{};
};

}  // namespace svc::public_pages
