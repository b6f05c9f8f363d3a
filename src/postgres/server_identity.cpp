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

task<identified_server> identify(connection& connection, deadline until) {
  query const ask{identity};
  auto const notified = co_await connection.run({&ask, 1}, framing::implicit, until);
  if (!notified) co_return identified_server{};
  auto const row = notified->front().front();
  co_return identified_server{{row.integer(0), row.integer(2), row.boolean(1)},
                              row.integer(3) != connection.process()};
}

}  // namespace svc::postgres
