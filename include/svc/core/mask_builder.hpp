#pragma once

#include "svc/core/async.hpp"
#include "svc/core/masker.hpp"

#include <boost/asio/thread_pool.hpp>

#include <vector>

namespace svc {

/// Makes a run's patterns by a thread of `builders`, so that the loop, with other runs' heartbeats, goes on. Wipes
/// its copies of the secrets. `io` outlives `builders`. Throws what making them throws.
task<secret_patterns_ptr> build_patterns(asio::io_context& io, asio::thread_pool& builders,
                                         std::vector<secret_string> secrets);

}  // namespace svc
