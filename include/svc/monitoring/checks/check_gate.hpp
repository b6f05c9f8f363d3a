#pragma once

#include "svc/egress/connection_gate.hpp"

namespace svc::checks {

/// The gate of one check, which its attempts share. Worker-local.
class check_gate : public egress::connection_gate {
 public:
  /// Gives back all permissions: the check makes no connection until it enters again.
  virtual void leave() = 0;
  /// Returns how long the check has waited since the last call.
  virtual steady::duration take_wait() = 0;
  /// True if a connection was not let through: then the check says nothing of its target.
  virtual bool refused() const = 0;
};

}  // namespace svc::checks
