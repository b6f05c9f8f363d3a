#pragma once

#include "svc/core/async.hpp"
#include "svc/postgres/primary_watch.hpp"

#include <cstddef>
#include <vector>

namespace svc::postgres {

/// The servers of a connection string in its order, so that each can be tried by itself. One entry when libpq itself
/// must look at the whole string: for one server; for a choice of target other than the primary, which takes more
/// than one pass over the list; and for what it will refuse. Without a name for a server of `pg_service.conf` and
/// libpq's default. Reads PGHOST, PGHOSTADDR, PGPORT and PGTARGETSESSIONATTRS as libpq does.
std::vector<server_address> servers_of(char const* url);

/// The order in which servers are tried: the one that was good first, the others as the string has them.
std::vector<std::size_t> order_of(std::size_t servers, std::size_t good);

/// Looks up a host name without blocking the loop, as libpq would: its addresses come as a list in `hostaddr`, with
/// `host` and `port` as often. Returns what needs no look-up as it is. Throws `unavailable` when there is no address.
/// The look-up cannot be cancelled and may outlast `until` by the resolver's own limits (`resolv.conf`).
task<server_address> resolved(asio::io_context& io, server_address which);

}  // namespace svc::postgres
