#pragma once

#include "svc/postgres/pool.hpp"

namespace svc::postgres {

class connection;

/// Asks the server of an open session what it is: one round trip, no lock. A server that does not tell (its functions
/// differ, or may not be called) has no identity. Throws `unavailable`.
task<server_identity> identify(connection& on, deadline until);

}  // namespace svc::postgres
