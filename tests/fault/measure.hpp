#pragma once

#include "load.hpp"

#include <functional>
#include <string>

namespace svc::test {

/// Something that happens to a rig for a while.
struct fault {
  std::string name;
  std::function<void(rig&)> begin, end;
  promises allowed{};
};

/// What faults of that length, one after the other, do to clients: a table on standard output. On the main thread,
/// with a rig that is normal; so it is afterwards. Fails the test for each broken promise.
void measure_all(rig& rig, load_actors const& as, std::vector<fault> const& faults, std::chrono::seconds lasting);

/// Whether TEST_PARTITION says how many seconds a partition lasts. Then other faults, which are many, last ten.
bool is_long_form();
std::chrono::seconds partition_length(std::chrono::seconds short_form);
inline constexpr std::chrono::seconds usual_length{10};

}  // namespace svc::test
