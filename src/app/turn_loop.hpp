#pragma once

#include "svc/core/async.hpp"
#include "svc/core/turns.hpp"

#include <atomic>
#include <cstdint>

namespace svc::app {

/// `io.run()` on this thread, turn by turn: each is given to `meter`, and counted for others to see. Going in and out
/// of the loop for each costs about 0.15 us of a turn.
void run_turns(asio::io_context& io, turn_meter& meter, std::atomic<std::uint64_t>& ended);

}  // namespace svc::app
