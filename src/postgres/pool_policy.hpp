#pragma once

#include "svc/core/deadline.hpp"

#include <cstddef>
#include <cstdint>

namespace svc::postgres {

/// What a pool knows about itself when it decides. A value.
struct pool_view {
  int size = 1;     ///< connections at most
  int idle = 0;     ///< open and free
  int busy = 0;     ///< open and lent, or rolling back
  int opening = 0;  ///< attempts to connect
  std::size_t waiting = 0;
  std::size_t max_waiting = 0;
  bool healthy = true;   ///< connected since the last failure
  bool cooling = false;  ///< the last attempt failed and its backoff is not over
  bool stopped = false;
};

enum class admission : std::uint8_t {
  hand_out,  ///< an idle connection, now
  wait,      ///< in order of arrival
  refuse     ///< waiting would not help
};

/// A caller asks for a connection.
admission on_request(pool_view const& now);

/// How many connections to start opening now: one for each waiter that no attempt serves yet, and at least one while
/// none is open or the pool is not healthy, to learn whether the database is there. While it is away, a single
/// attempt probes it after its backoff.
int connections_to_open(pool_view const& now);

/// How many idle connections to close when the lowest idle count of the last period was `unused`: half of them,
/// rounded up, so that connections opened for a peak go without closing those that the next peak needs. One always
/// stays.
int connections_to_shed(pool_view const& now, int unused);

/// Whether waiters are refused at once: the pool is stopped, or nothing is open or opening and the last attempt has
/// just failed.
bool gives_up_waiters(pool_view const& now);

}  // namespace svc::postgres
