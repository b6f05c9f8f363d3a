#pragma once

#include "campaign_fixture.hpp"

#include <chrono>
#include <string>

namespace svc::test {

/// Empty when everything works after a campaign: each instance is ready and has both stores, each of its loops takes
/// steps again, and no transaction of the service keeps a lock. Otherwise the remaining problem when the time is
/// over.
std::string recovered(campaign_fixture& fixture, std::chrono::seconds within);

}  // namespace svc::test
