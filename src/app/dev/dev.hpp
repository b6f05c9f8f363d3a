#pragma once

#include <string>
#include <vector>

namespace svc::app::dev {

struct dev_options {
  std::string data_directory{};  ///< empty: the default place
  std::string listen = "127.0.0.1:8443";
  std::string admin = "127.0.0.1:9464";
  bool reset = false;
  bool runner = true;  ///< start a runner for `command` jobs
  bool demo = false;   ///< with monitors in the sample data, whose alerts are shown
  bool json = false;   ///< one line of JSON on standard output when ready, and nothing else there
};

/// The whole service with stores of its own, for development and tests. Call from the main thread, before any
/// other thread is started. Returns the exit code.
int run(dev_options const& options, std::vector<std::string> const& environment);

}  // namespace svc::app::dev
