#pragma once

#include "svc/core/async.hpp"
#include "svc/core/cidr.hpp"
#include "svc/core/deadline.hpp"

#include <cstdint>
#include <optional>

namespace svc::egress {

/// Decides when the connections of one check may be made. A client asks it about each address that it connects to:
/// each hop of a redirect, each retry and each further address of a name. Worker-local; requests share it.
class connection_gate {
 public:
  virtual ~connection_gate() = default;

  struct admission {
    steady::duration waited{};  ///< is no time of the request
    deadline until;             ///< of the request, put off by the wait
  };
  /// Gives back the permissions for all other addresses, then waits for one for this address. `port`: 0 for ICMP.
  /// Returns nothing if there is none in time or the caller was cancelled: then the request ends as `cancelled`.
  virtual task<std::optional<admission>> enter(ip_address at, std::uint16_t port, deadline until) = 0;
  /// Takes a permission for a further address at once, in addition to those that it holds. Returns false if that
  /// would need a wait. May be called from within libcurl.
  virtual bool try_enter(ip_address const& at, std::uint16_t port) = 0;
};

}  // namespace svc::egress
