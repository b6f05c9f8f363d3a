#include "app/turn_loop.hpp"

#include <ctime>

namespace svc::app {
namespace {

/// What this thread has had of a processor.
std::chrono::nanoseconds thread_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

void run_turns(asio::io_context& io, turn_meter& meter, std::atomic<std::uint64_t>& ended) {
  meter = turn_meter(steady::now(), thread_time());
  while (io.run_one() > 0) {
    meter.ended(steady::now(), &thread_time);
    // The only writer.
    ended.store(ended.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

}  // namespace svc::app
