#pragma once

#include "net/unique_fd.hpp"
#include "svc/net/listener.hpp"

#include <string>

namespace svc::net {

/// An accepted, non-blocking connection on its way from the listener to its worker.
struct arrival {
  unique_fd descriptor;
  int family;
  std::string peer;  ///< textual address without a port
  listener_traits traits;
};

}  // namespace svc::net
