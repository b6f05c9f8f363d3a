#pragma once

#include <string>
#include <vector>

namespace svc::app::dev {

/// The form of the text on standard output when the service is ready: the first steps, all lines to paste, or only
/// one line of JSON.
enum class announcement_form { text, lines, json };

struct dev_options {
  std::string data_directory{};  ///< empty: `default_data_directory`
  std::string listen = "127.0.0.1:8443";
  std::string admin = "127.0.0.1:9464";
  bool reset = false;
  bool runner = true;  ///< start a runner for `command` jobs
  bool demo = false;   ///< with monitors in the sample data, whose alerts are shown, and a status page
  announcement_form form = announcement_form::text;
};

/// The whole service with stores of its own, for development and tests. Call from the main thread, before any
/// other thread is started. Returns the exit code.
int run(dev_options const& options, std::vector<std::string> const& environment);

}  // namespace svc::app::dev
