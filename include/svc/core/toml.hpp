#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace svc {

/// How a value was spelt; a source without types (the environment) gives `untyped`.
enum class value_type : std::uint8_t { untyped, text, list, integer, boolean, other };

/// One value of a configuration before anything knows what its key means.
struct raw_value {
  std::string name;
  std::string text;  ///< of a list: its texts, separated by commas
  value_type type = value_type::untyped;
};

/// Values of a TOML file by dotted name; tables in an array are `name[0].member`. A problem names the file and never
/// quotes a value.
std::vector<raw_value> read_toml(std::string const& path, std::vector<std::string>& problems);

}  // namespace svc
