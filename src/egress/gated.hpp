#pragma once

#include "svc/core/loop_activity.hpp"
#include "svc/egress/connection_gate.hpp"

#include <memory>

namespace svc::egress {

/// The time of a request: its deadline, put off by the waits at its gate.
struct gated_time {
  deadline until;
  steady::duration waited{};
};

/// Returns false if the gate does not let the request through. Without a gate every request passes.
inline task<bool> pass_gate(std::shared_ptr<connection_gate> gate, ip_address at, std::uint16_t port,
                            gated_time& time) {
  if (!gate) co_return true;
  auto const owner = working_for();
  auto const let = co_await gate->enter(at, port, time.until);
  work_for(owner);
  if (!let) co_return false;
  time.until = let->until;
  time.waited += let->waited;
  co_return true;
}

}  // namespace svc::egress
