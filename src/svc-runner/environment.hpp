#pragma once

#include "svc-runner/client/messages.hpp"

#include <string>
#include <utility>
#include <vector>

namespace svc::runner {

using environment_list = std::vector<std::pair<std::string, std::string>>;

/// Returns the environment of a script, each name once: `base`, then variables that identify the run, then its trace
/// (`TRACEPARENT`, as OpenTelemetry names it), then the project's variables, then `SERVICE_PARAM_<NAME>`; later ones
/// override earlier ones. Names that no environment can hold are left out, values end before a NUL. Contains nothing
/// of the runner's own environment.
environment_list script_environment(claim const& claim, environment_list base);

/// Returns the values to mask in the output.
std::vector<secret_string> secrets_of(claim const& claim);

}  // namespace svc::runner
