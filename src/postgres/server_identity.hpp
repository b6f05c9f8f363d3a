#pragma once

#include "svc/postgres/pool.hpp"

namespace svc::postgres {

class connection;

struct identified_server {
  server_identity identity{};
  bool pooled = false;  ///< a pooler stands between: it invents the process that it names as the session's
};

/// Asks the server of an open session what it is: one round trip, no lock. A server that does not tell (its functions
/// differ, or may not be called) has no identity. Throws `unavailable`.
task<identified_server> identify(connection& connection, deadline until);

}  // namespace svc::postgres
