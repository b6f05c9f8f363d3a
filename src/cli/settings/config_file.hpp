#pragma once

#include "cli/settings/environment.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::cli {

/// The author of a configuration file.
enum class config_origin : std::uint8_t {
  project,  ///< `svc.toml` of a working copy: written by the author of the repository
  user,     ///< `$XDG_CONFIG_HOME/svc/config.toml`: written by the user
};

/// The values of one file. Every source is `PATH:LINE`. A value.
struct config_values {
  std::string path;
  std::optional<found_value> url, organization, project;
  std::optional<found_value> ca_file;  ///< only of the user's file; relative to its directory
  std::optional<found_value> colour;   ///< auto, always, never
  std::optional<std::chrono::milliseconds> timeout;
};

/// The largest file that is read.
inline constexpr std::size_t largest_config_file = 64UL * 1024;

/// Reads TOML 1.0 with the keys url, organization, project, timeout (whole seconds), color, and in the user's file
/// cacert. Throws `failure` (usage) with file and line for a text that is no TOML, for another key, and for a wrong
/// value. It also throws for a credential anywhere in the text, even in a comment. Pure.
///
/// `cacert` is refused in a project's file: with its own authority a cloned repository could read requests to the
/// user's services.
config_values read_config(std::string const& path, std::string_view text, config_origin origin);

/// Returns `std::nullopt` if there is no such file.
std::optional<config_values> load_config(std::string const& path, config_origin origin);

/// Returns the nearest `svc.toml` from `directory` (absolute) upwards to the root; empty: none. The owners of the
/// directories above do not matter, because no project file can send credentials to another address (settings.hpp).
std::string project_file_above(std::string directory);

}  // namespace svc::cli
