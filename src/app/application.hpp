#pragma once

#include "app/configuration/configuration.hpp"

#include <functional>
#include <string>

namespace svc::app {

/// Serves until SIGTERM or SIGINT; returns the exit code. `read_again` is called on SIGHUP, on the calling thread.
int serve(configuration const& config, configuration_reader read_again,
          std::function<void(std::string const& bound_public, std::string const& bound_admin)> on_ready);

}  // namespace svc::app
