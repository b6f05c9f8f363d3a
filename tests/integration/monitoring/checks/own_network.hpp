#pragma once

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

namespace svc::test {

/// Runs `content` on a thread with its own network namespace, where 127.0.0.0/8 and ::1 are up and nothing else
/// exists. Its changes in /proc/sys/net affect nobody else. Returns false without a run if such a namespace cannot be
/// made here.
inline bool in_own_network(std::function<void()> const& content) {
  bool made = false;
  std::exception_ptr failed;
  std::thread([&] {
    if (unshare(CLONE_NEWNET) != 0) return;
    ifreq loopback{};
    std::strcpy(loopback.ifr_name, "lo");
    loopback.ifr_flags = IFF_UP | IFF_RUNNING;
    int const fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    made = ioctl(fd, SIOCSIFFLAGS, &loopback) == 0;
    close(fd);
    try {
      if (made) content();
    } catch (...) {
      failed = std::current_exception();
    }
  }).join();
  if (failed) std::rethrow_exception(failed);
  return made;
}

/// Sets a value in the network namespace of this thread; `name` is below /proc/sys/net.
inline bool set_kernel(std::string const& name, std::string const& value) {
  std::ofstream out("/proc/sys/net/" + name);
  out << value << std::flush;
  return out.good();
}

}  // namespace svc::test
