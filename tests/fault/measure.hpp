#pragma once

#include "load.hpp"

#include <functional>
#include <string>

namespace svc::test {

/// An event that affects a rig for a while.
struct fault {
  std::string name;
  std::function<void(rig&)> begin, end;
  promises allowed{};
};

/// Applies the faults, of that length, one after the other, and prints the effect on clients as a table on standard
/// output. Must run on the main thread with a normal rig; the rig is normal again afterwards. Fails the test for each
/// broken promise.
void measure_all(rig& rig, load_actors const& as, std::vector<fault> const& faults, std::chrono::seconds lasting);

/// True if TEST_PARTITION gives the seconds that a partition lasts. The many other faults then last ten seconds.
bool is_long_form();
std::chrono::seconds partition_length(std::chrono::seconds short_form);
inline constexpr std::chrono::seconds usual_length{10};

}  // namespace svc::test
