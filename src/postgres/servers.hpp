#pragma once

#include "svc/core/async.hpp"
#include "svc/postgres/primary_watch.hpp"

#include <cstddef>
#include <vector>

namespace svc::postgres {

/// Returns the servers of a connection string in its order, so that each can be tried alone. Returns one
/// entry if libpq must read the whole string itself. That is so for one server, for a target other than the
/// primary (which takes several passes over the list), and for a string that libpq will refuse. A server of
/// `pg_service.conf` and libpq's default have no name. Reads PGHOST, PGHOSTADDR, PGPORT and
/// PGTARGETSESSIONATTRS like libpq.
std::vector<server_address> servers_of(char const* url);

/// Returns the order of attempts: the good server first, the others in the order of the string.
std::vector<std::size_t> order_of(std::size_t servers, std::size_t good);

/// Looks up a host name like libpq, without blocking the loop: `hostaddr` gets the list of its addresses, and
/// `host` and `port` are repeated as often. Returns an address that needs no look-up unchanged. Throws
/// `unavailable` if there is no address. The look-up cannot be cancelled and may outlast `until` by the
/// resolver's own limits (`resolv.conf`).
task<server_address> resolved(asio::io_context& io, server_address which);

}  // namespace svc::postgres
