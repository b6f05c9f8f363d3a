#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/run_event.hpp"
#include "svc/redis/client.hpp"

#include <optional>
#include <vector>

namespace svc::live {

/// The events that Redis holds behind `after`, at most `most` of them; nothing when Redis did not answer.
task<std::optional<std::vector<run_event>>> read_events(redis::client& redis, uuid run, event_id after, int most,
                                                        deadline until);

}  // namespace svc::live
