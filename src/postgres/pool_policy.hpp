#pragma once

#include "svc/core/deadline.hpp"

#include <cstddef>
#include <cstdint>

namespace svc::postgres {

/// What a pool knows of itself when it decides. A value.
struct pool_view {
  int size = 1;     ///< connections at most
  int idle = 0;     ///< open and free
  int busy = 0;     ///< open and lent, or rolling back
  int opening = 0;  ///< being connected
  std::size_t waiting = 0;
  std::size_t max_waiting = 0;
  bool healthy = true;   ///< connected since the last failure
  bool cooling = false;  ///< the last attempt failed and its backoff is not over
  bool stopped = false;
};

enum class admission : std::uint8_t {
  hand_out,  ///< an idle connection, now
  wait,      ///< in order of arrival
  refuse     ///< nothing can come of waiting
};

/// A caller asks for a connection.
admission on_request(pool_view const& now);

/// How many connections to start opening now: one for each waiter that no attempt serves yet, and one to
/// know whether the database is there. While it is away a single attempt probes, after its backoff.
int connections_to_open(pool_view const& now);

/// How many idle connections to close when the least idle count of the last period was `unused`: half of
/// them, so that a peak is given back without closing what the next one needs; one always stays.
int connections_to_shed(pool_view const& now, int unused);

/// Waiting for what cannot come is cut short: nothing is open and the last attempt just failed.
bool gives_up_waiters(pool_view const& now);

}  // namespace svc::postgres
