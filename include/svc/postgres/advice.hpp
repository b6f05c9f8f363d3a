#pragma once

#include <string>

namespace svc::postgres {

/// An error of libpq about a connection that could not be opened, on one line, each reason once, with what an
/// operator can do about it where that is known. Names the keys of the configuration. Pure.
std::string with_advice(std::string error);

}  // namespace svc::postgres
