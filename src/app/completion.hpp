#pragma once

#include <string>

namespace CLI {
class App;
}

namespace svc::app {

/// A bash completion script made from the commands and options of `root`.
std::string bash_completion(CLI::App const& root);

}  // namespace svc::app
