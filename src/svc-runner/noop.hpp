#pragma once

#include "svc-runner/settings.hpp"

namespace svc::runner {

/// Acts as `count` runners: claims runs and completes each at once as passed, without running it, until SIGTERM or
/// SIGINT and the end of what was claimed. Then, and at each SIGUSR1, prints one line of JSON: what was counted since
/// the previous line, and how long it took. Only in builds for measurements. Returns the exit code; throws as
/// `job_runner::run` does. `realistic`: before it completes a run, it sends one heartbeat and 20 lines of output in
/// two batches.
int run_noop(settings const& with, int count, bool realistic);

}  // namespace svc::runner
