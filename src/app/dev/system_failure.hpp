#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace svc::app::dev {

/// Throws with what errno says.
[[noreturn]] inline void fail(std::string const& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

}  // namespace svc::app::dev
