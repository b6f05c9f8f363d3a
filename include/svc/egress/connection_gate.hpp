#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/ip_address.hpp"
#include "svc/core/loop_activity.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace svc::egress {

/// Decides when the connections of one check may be made. A client asks it about each address that it connects to:
/// each hop of a redirect, each retry and each further address of a name. Worker-local; requests share it.
class connection_gate {
 public:
  virtual ~connection_gate() = default;

  struct admission {
    steady::duration waited{};  ///< not counted as time of the request
    deadline until;             ///< deadline of the request, extended by the wait
  };
  /// Gives back the permits for all other addresses, then waits for one for this address. `port` is 0 for
  /// ICMP. Returns `std::nullopt` if there is none in time or the caller was cancelled; the request then ends
  /// as `cancelled`.
  virtual task<std::optional<admission>> enter(ip_address address, std::uint16_t port, deadline until) = 0;
  /// Takes a permit for a further address at once, in addition to the held ones. Returns false if that would
  /// need a wait. May be called from within libcurl.
  virtual bool try_enter(ip_address const& address, std::uint16_t port) = 0;
};

/// The time of a request: its deadline, extended by the waits at its gate.
struct gated_time {
  deadline until;
  steady::duration waited{};
};

/// Returns false if the gate does not let the request through. Without a gate every request passes.
inline task<bool> pass_gate(std::shared_ptr<connection_gate> gate, ip_address address, std::uint16_t port,
                            gated_time& time) {
  if (!gate) co_return true;
  auto const owner = working_for();
  auto const let = co_await gate->enter(address, port, time.until);
  work_for(owner);
  if (!let) co_return false;
  time.until = let->until;
  time.waited += let->waited;
  co_return true;
}

}  // namespace svc::egress
