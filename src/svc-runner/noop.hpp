#pragma once

#include "svc-runner/settings.hpp"

namespace svc::runner {

/// As `count` runners, claims runs and completes each at once as passed, unrun, until SIGTERM or SIGINT and the end
/// of what was claimed. Prints one JSON line then, and at each SIGUSR1: what was counted since the last one, and how
/// long it took. Only in builds that measure. The exit code; throws as `job_runner::run` does.
int run_noop(settings const& with, int count);

}  // namespace svc::runner
