#pragma once

#include "svc/postgres/query.hpp"
#include "svc/store/monitors/check_store.hpp"

#include <vector>

namespace svc::store {

/// Counts these results, which belong to different monitors: each where its row is as the vote was computed from.
/// Gives the places of those that counted. `lazily`: the COMMIT does not wait for the disk.
postgres::query count_query(uuid location, std::vector<counted_result> const& results, bool lazily);

}  // namespace svc::store
