#pragma once

#include "svc-runner/settings.hpp"

#include <cstdint>

namespace svc::runner {

/// The requests of `run_noop` for a run in addition to its result.
enum class noop_runs : std::uint8_t {
  empty,      ///< nothing
  realistic,  ///< one heartbeat, and 20 lines of output, together with the result if the service allows that
  lasting,    ///< one heartbeat, and 20 lines of output in two batches before the result
};

/// Acts as `count` runners. Each claims runs and completes them at once as passed without running them, until SIGTERM
/// or SIGINT and the end of all claimed runs. Then, and at each SIGUSR1, it prints one line of JSON with counts and
/// durations since the previous line. Only in builds for measurements. Returns the exit code; throws as
/// `job_runner::run` does.
int run_noop(settings const& settings, int count, noop_runs runs);

}  // namespace svc::runner
