#pragma once

#include "svc/core/async.hpp"
#include "svc/core/load_shedder.hpp"
#include "svc/core/metrics.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <functional>
#include <string>

namespace svc::app {

/// Measures for a worker's load shedder how long ready events wait for their turn. A timer becomes ready like
/// a socket while the loop works. A posted event then waits for all sockets that are ready, because the
/// kernel reports only some of them at a time. Worker-local.
class queue_probe {
 public:
  /// `target`: the longest queue time that is no overload. `further`: as in `load_shedder`.
  queue_probe(asio::io_context& io, steady::duration target,
              std::function<steady::duration(steady::time_point now)> further, metrics& counters,
              std::string const& worker);
  queue_probe(queue_probe const&) = delete;
  queue_probe& operator=(queue_probe const&) = delete;

  load_shedder& shedder() { return shedder_; }

 private:
  void send(steady::time_point ready);
  void wait_in_line();

  load_shedder shedder_;
  steady_timer timer_;
  asio::posix::stream_descriptor event_;
  histogram waits_;
  gauge level_;
};

}  // namespace svc::app
