#pragma once

#include <functional>
#include <string>

namespace svc::app {

struct configuration;

/// Serves until SIGTERM or SIGINT; returns the exit code.
int serve(configuration const& with,
          std::function<void(std::string const& bound_public, std::string const& bound_admin)> on_ready);

}  // namespace svc::app
