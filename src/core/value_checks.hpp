#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace svc {

/// The range that a check of the command line allows.
struct number_range {
  std::string least, most;
  bool whole;
  bool duration;
};

/// The start of the description of a check for a duration.
inline constexpr char const* duration_check = "DURATION";

/// Reads the description that `CLI::Range` gives itself: `INT in [1 - 100]`.
std::optional<number_range> range_in(std::string const& description);
/// Reads the description that `CLI::IsMember` gives itself: `{auto,always}`. Empty for any other one.
std::vector<std::string> choices_in(std::string const& description);

/// Returns the options of a group from which some must be given, without the group's own `--help`.
std::vector<CLI::Option const*> alternatives_in(CLI::App const& group);

}  // namespace svc
