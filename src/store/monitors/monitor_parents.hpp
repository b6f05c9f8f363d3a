#pragma once

#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

#include <vector>

// The monitors that a monitor depends on.

namespace svc::store {

/// Locks the project until COMMIT against other changes of dependencies, so that two changes close no cycle
/// together. Must come before the lock of a monitor.
postgres::query lock_dependencies_query(uuid project);

/// Appends the queries that read what `check_parents` needs.
void look_for_parents(uuid project, uuid monitor, std::vector<uuid> const& wanted,
                      std::vector<postgres::query>& queries);
inline constexpr std::size_t answers_of_parents = 2;
/// Checks the answers, from index `first` on. Errors: validation_failed (a parent is unknown or deleted),
/// dependency_cycle (the monitor would depend on itself).
result<> check_parents(std::vector<uuid> const& wanted, std::vector<postgres::rows> const& answers,
                       std::size_t first);

/// Appends the queries that replace the monitor's parents.
void replace_parents(uuid project, uuid monitor, std::vector<uuid> const& wanted,
                     std::vector<postgres::query>& queries);

}  // namespace svc::store
