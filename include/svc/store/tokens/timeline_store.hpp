#pragma once

#include "svc/postgres/pool.hpp"

#include <cstdint>
#include <functional>

namespace svc::store {

/// Makes each session of a pool begin its server's timeline, if that is new: subjects are then lifted above all
/// epochs that were in use. `begun` is told the lowest epoch of this database, on the pool's thread, before any
/// session of the timeline is lent.
void begin_timelines(postgres::settings& settings, std::function<void(std::int64_t lowest_epoch)> begun);

}  // namespace svc::store
