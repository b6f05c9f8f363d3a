#pragma once

#include "svc/core/deadline.hpp"

#include <cstddef>
#include <cstdint>

namespace svc::postgres {

/// The state of a pool for its decisions. A value.
struct pool_view {
  int size = 1;              ///< most connections
  int idle = 0;              ///< open and free
  int busy = 0;              ///< open and lent, or rolling back
  int opening = 0;           ///< attempts to connect
  int abandoned = 0;         ///< sessions whose statement outlived its caller and that the server has not ended
  std::size_t waiting = 0;   ///< all callers in line
  std::size_t eligible = 0;  ///< callers whose owner's share has room
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

/// Decides about a caller that asks for a connection. `has_room` says that the share of its owner has room for one
/// more.
admission on_request(pool_view const& now, bool has_room);

/// The number of connections that one tenant holds, and that all owners hold.
struct holdings {
  int all = 0, project = 0, organisation = 0;
};

/// Returns the most connections that a project may hold: half of a pool.
int project_share(int size);
/// Returns the most connections that the projects of an organisation may hold: three quarters of a pool.
int organisation_share(int size);

/// Returns how many more connections a project may hold. A project may hold its share, and not more connections than
/// are then left for others. So a tenant that arrives later finds a connection at once, even if earlier tenants hold
/// theirs for seconds. A project without a connection may hold one, unless its organisation has exhausted its share.
int room_of_project(int size, holdings const& held);

/// Returns the same for work without an owner. While tenants wait for a connection that they may hold, such work gets
/// at most half.
int room_of_common(int size, int held, bool tenants_wait);

/// Returns the abandoned sessions that count against the size of a pool: at most half of it, so that requests
/// continue.
int count_set_aside(int size, int abandoned);

/// Returns true if half of the pool's size is abandoned, so that the pool must find out whether commits stall.
bool many_abandoned(int size, int abandoned);

/// Returns how many more sessions may be opened. Abandoned sessions that do not count against the size are bounded
/// too. While transactions may write, all sessions together are at most one and a half times the size. One session is
/// always open, to find out why the others are abandoned.
int sessions_to_spare(int size, int open, int abandoned, bool read_only);

/// Returns how many connections to start opening now: one for each eligible waiter that no attempt serves yet. At
/// least one is opened while none is open or the pool is not healthy, to learn whether the database is there. While
/// the database is away, a single attempt probes it after its backoff.
int connections_to_open(pool_view const& now);

/// Returns how many idle connections to close, given that `unused` was the lowest idle count of the last
/// period. The result is half of `unused`, rounded up. So connections of a peak are closed step by step, and
/// the next peak still finds some. One always stays.
int connections_to_shed(pool_view const& now, int unused);

/// Returns true if waiters are refused at once: the pool is stopped, or nothing is open or opening and the last
/// attempt has just failed.
bool gives_up_waiters(pool_view const& now);

}  // namespace svc::postgres
