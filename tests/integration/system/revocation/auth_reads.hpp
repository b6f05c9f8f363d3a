#pragma once

#include "support/fleet.hpp"

#include <cstdlib>

namespace svc::test {

/// Statements that read tokens and everything that belongs to them: their number, and the time that they took.
struct auth_reads {
  long long statements = 0;
  double millis = 0;

  auth_reads operator-(auth_reads const& before) const {
    return {statements - before.statements, millis - before.millis};
  }
};

inline auth_reads count_auth_reads(fleet const& fleet) {
  auto const rows = fleet.sql(
      "SELECT coalesce(sum(calls), 0), coalesce(sum(total_exec_time + total_plan_time), 0) FROM pg_stat_statements"
      " WHERE query LIKE '%FROM token_secrets WHERE digest =%'");
  return {std::atoll(rows[0][0].c_str()), std::atof(rows[0][1].c_str())};
}

}  // namespace svc::test
