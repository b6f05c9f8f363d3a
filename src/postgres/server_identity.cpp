#include "postgres/server_identity.hpp"

#include "postgres/connection.hpp"

namespace svc::postgres {

namespace {

/// Reads the timeline of the WAL that is being written: the control file has a new timeline only with the next
/// checkpoint.
constexpr statement identity{"server_identity", R"(
SELECT (SELECT system_identifier FROM pg_control_system()), pg_is_in_recovery(),
       CASE WHEN pg_is_in_recovery() THEN 0
            ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END,
       pg_backend_pid())",
                             true};

}  // namespace

task<identified> identify(connection& connection, deadline until) {
  query const ask{identity};
  auto const told = co_await connection.run({&ask, 1}, framing::implicit, until);
  if (!told) co_return identified{};
  auto const row = told->front().front();
  co_return identified{{row.integer(0), row.integer(2), row.boolean(1)}, row.integer(3) != connection.process()};
}

}  // namespace svc::postgres
