#pragma once

#include "svc-runner/settings.hpp"

#include <cstdint>

namespace svc::runner {

/// What the runs of `run_noop` send beside their results.
enum class noop_runs : std::uint8_t {
  empty,      ///< nothing
  realistic,  ///< one heartbeat, and 20 lines of output, with the result if the service takes them so
  lasting,    ///< one heartbeat, and 20 lines of output in two batches before the result
};

/// Acts as `count` runners: claims runs and completes each at once as passed, without running it, until SIGTERM or
/// SIGINT and the end of what was claimed. Then, and at each SIGUSR1, prints one line of JSON: what was counted since
/// the previous line, and how long it took. Only in builds for measurements. Returns the exit code; throws as
/// `job_runner::run` does.
int run_noop(settings const& settings, int count, noop_runs runs);

}  // namespace svc::runner
