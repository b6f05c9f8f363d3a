#pragma once

#include "app/configuration/configuration.hpp"

#include <functional>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace svc::app::admin {

/// Reads the configuration from the file of `--config` (empty: none) and the environment. Requires only
/// `postgres.url` and `redis.*`. Returns `std::nullopt` if there are problems, after it has reported them.
using configuration_loader = std::function<std::optional<configuration>(std::string const& file)>;

/// Adds `admin` with all its commands to the program. Parsing one of them sets `chosen` to a function that runs it
/// and returns the exit code: 0 done, 1 refused or failed, 2 wrong configuration. `chosen` must outlive the parse.
void add_commands(CLI::App& root, std::function<int()>& chosen, configuration_loader load);

}  // namespace svc::app::admin
