#include "postgres/sqlstate.hpp"

namespace svc::postgres {

verdict judge(std::string_view sqlstate) {
  if (sqlstate.size() != 5) return {.unavailable = true, .close = true};
  // A standby, or a primary that was demoted under us: only a new connection finds the new primary.
  if (sqlstate == "25006") return {.unavailable = true, .close = true};
  // The server's statement_timeout and lock_timeout: the statement is over and the connection is in step.
  if (sqlstate == "57014" || sqlstate == "55P03") return {.unavailable = true, .close = false};
  // This process was silent for too long in a transaction, or that took too long: the server has ended the session.
  if (sqlstate == "25P03" || sqlstate == "25P04") return {.unavailable = true, .close = true};
  // The prepared statement is stale (a migration changed its result) or gone (a pooler reset the session):
  // a fresh connection prepares it anew.
  if (sqlstate == "0A000" || sqlstate == "26000") return {.unavailable = false, .close = true};

  std::string_view const family = sqlstate.substr(0, 2);
  if (family == "53" || family == "58") return {.unavailable = true, .close = false};
  if (family == "08" || family == "57" || family == "XX") return {.unavailable = true, .close = true};
  return {};
}

}  // namespace svc::postgres
