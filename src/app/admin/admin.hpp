#pragma once

#include "app/configuration/configuration.hpp"

#include <functional>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace svc::app::admin {

/// Reads the configuration from the file of `--config` (empty: none) and the environment. Only `postgres.url` and
/// `redis.*` are needed. Nothing when there are problems, which it has told then.
using configuration_loader = std::function<std::optional<configuration>(std::string const& file)>;

/// Adds `admin` with all its commands to the program. Parsing one of them sets `chosen` to what it does, which
/// returns the exit code: 0 done, 1 refused or failed, 2 wrong configuration. `chosen` outlives the parse.
void add_commands(CLI::App& root, std::function<int()>& chosen, configuration_loader load);

}  // namespace svc::app::admin
