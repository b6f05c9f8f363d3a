#pragma once

#include "svc/core/deadline.hpp"

#include <cstddef>
#include <cstdint>

namespace svc::postgres {

/// What a pool knows about itself when it decides. A value.
struct pool_view {
  int size = 1;              ///< connections at most
  int idle = 0;              ///< open and free
  int busy = 0;              ///< open and lent, or rolling back
  int opening = 0;           ///< attempts to connect
  int abandoned = 0;         ///< sessions whose statement outlived its caller, and that the server has not ended
  std::size_t waiting = 0;   ///< all callers in line
  std::size_t eligible = 0;  ///< those of them whose owner's share has room
  std::size_t max_waiting = 0;
  bool healthy = true;     ///< connected since the last failure
  bool cooling = false;    ///< the last attempt failed and its backoff is not over
  bool read_only = false;  ///< commits stall
  bool stopped = false;
};

enum class admission : std::uint8_t {
  hand_out,  ///< an idle connection, now
  wait,      ///< in order of arrival
  refuse     ///< waiting would not help
};

/// A caller asks for a connection; `has_room` says that the share of its owner has room for one more.
admission on_request(pool_view const& now, bool has_room);

/// What one tenant holds of a pool, and what everybody does.
struct holdings {
  int all = 0, project = 0, organisation = 0;
};

/// Connections that a project may hold at most: half of a pool.
int project_share(int size);
/// Connections that the projects of an organisation may hold at most: three quarters of a pool.
int organisation_share(int size);

/// How many connections more a project may hold. Its connections are at most its share, and at most as many as are
/// left for others then; so a tenant that comes later finds a connection at once, even if those before it hold theirs
/// for seconds. A project without a connection may hold one, unless its organisation has exhausted its share.
int room_of_project(int size, holdings const& held);

/// The same for work without an owner. While tenants wait for a connection that they may hold, it gets at most half.
int room_of_common(int size, int held, bool tenants_wait);

/// Abandoned sessions that count against the size of a pool: at most half of it, so that requests go on.
int count_set_aside(int size, int abandoned);

/// Whether so many sessions are abandoned that the pool must find out whether commits stall: half of its size.
bool many_abandoned(int size, int abandoned);

/// How many sessions more may be opened. Abandoned ones that do not count against the size are bounded too: while
/// transactions may write, all sessions together are at most one and a half times the size. One is always open, to
/// find out why others are abandoned.
int sessions_to_spare(int size, int open, int abandoned, bool read_only);

/// How many connections to start opening now: one for each eligible waiter that no attempt serves yet, and at least
/// one while none is open or the pool is not healthy, to learn whether the database is there. While it is away, a
/// single attempt probes it after its backoff.
int connections_to_open(pool_view const& now);

/// How many idle connections to close when the lowest idle count of the last period was `unused`: half of them,
/// rounded up, so that connections opened for a peak go without closing those that the next peak needs. One always
/// stays.
int connections_to_shed(pool_view const& now, int unused);

/// Whether waiters are refused at once: the pool is stopped, or nothing is open or opening and the last attempt has
/// just failed.
bool gives_up_waiters(pool_view const& now);

}  // namespace svc::postgres
