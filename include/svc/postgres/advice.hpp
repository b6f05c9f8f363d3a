#pragma once

#include <string>

namespace svc::postgres {

/// Returns libpq's error about a failed connection on one line, each reason once, with a known remedy for
/// operators. Names the keys of the configuration. Pure.
std::string with_advice(std::string error);

}  // namespace svc::postgres
