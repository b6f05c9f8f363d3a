#pragma once

#include "svc-runner/client/messages.hpp"

#include <string>
#include <utility>
#include <vector>

namespace svc::runner {

using environment_list = std::vector<std::pair<std::string, std::string>>;

/// All that a script finds in its environment, each name once: `base`, then what the run is, then the project's
/// variables, then `SERVICE_PARAM_<NAME>`; later ones win. Names that no environment can hold are left out, values
/// end before a NUL. Nothing of the runner's own environment.
environment_list script_environment(claim const& of, environment_list base);

/// The values to mask in the output.
std::vector<secret_string> secrets_of(claim const& of);

}  // namespace svc::runner
