#pragma once

#include <optional>
#include <string>
#include <vector>

namespace svc {

/// The range that a check of the command line allows.
struct number_range {
  std::string least, most;
  bool whole;
};

/// Reads the description that `CLI::Range` gives itself: `INT in [1 - 100]`.
std::optional<number_range> range_in(std::string const& description);
/// Reads the description that `CLI::IsMember` gives itself: `{auto,always}`. Empty for any other one.
std::vector<std::string> choices_in(std::string const& description);

}  // namespace svc
