#pragma once

#include "app/configuration/configuration.hpp"
#include "support/temporary_directory.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::app {

/// The configuration from one file and an environment.
inline loaded_configuration load_text(test::temporary_directory const& dir, std::string const& toml,
                                      std::vector<std::string> environment = {}) {
  return load_configuration(
      {.file = dir.write("svcd.toml", toml), .environment = std::move(environment), .overrides = {}},
      configuration_use::showing);
}

/// True if a problem mentions that.
inline bool names(std::vector<std::string> const& problems, std::string_view subject) {
  return std::any_of(problems.begin(), problems.end(),
                     [&](std::string const& p) { return p.find(subject) != std::string::npos; });
}

/// A key with its value, as a line of TOML.
inline std::string toml_line(std::string_view name, std::string const& value) {
  return std::string(name) + " = " + value + "\n";
}

}  // namespace svc::app
