// Preloaded into a process whose clock shall be wrong: CLOCK_REALTIME is off by TEST_CLOCK_OFFSET seconds. Debian's
// libfaketime cannot be used: its set-up asks for the time while jemalloc's, which does the same, is in progress.
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

namespace {

long offset() {
  char const* const seconds = std::getenv("TEST_CLOCK_OFFSET");
  return seconds == nullptr ? 0 : std::strtol(seconds, nullptr, 10);
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  auto const failed = static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
  if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset();
  return failed;
}

int gettimeofday(timeval* now, void*) noexcept {
  timespec exact{};
  if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return -1;
  *now = {exact.tv_sec, exact.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* into) noexcept {
  timespec exact{};
  if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return static_cast<time_t>(-1);
  if (into != nullptr) *into = exact.tv_sec;
  return exact.tv_sec;
}
}
