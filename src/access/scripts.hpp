#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/domain/principal.hpp"
#include "svc/redis/client.hpp"

namespace svc::access {

redis::script const& raise_script();
redis::script const& put_script();
redis::script const& announce_script();

/// Raises one subject's epoch in Redis, one try; true when Redis holds it, or a higher one. The client outlives it.
task<bool> raise_epoch(redis::client& redis, subject_epoch one, deadline until);

}  // namespace svc::access
