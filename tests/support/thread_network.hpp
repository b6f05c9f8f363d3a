#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <string>

namespace svc::test {

/// A separate network namespace for this thread, and for all processes and threads that it starts while this object
/// lives. 127.0.0.0/8 is up. `add` and `remove` make one more address appear and disappear like an uplink; without
/// that address there is no route to it. The destructor returns the thread to its former namespace.
class thread_network {
 public:
  thread_network() : former_(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)) {
    own_ = former_ >= 0 && unshare(CLONE_NEWNET) == 0;
    if (own_) flag("lo", IFF_UP | IFF_RUNNING);
  }
  ~thread_network() {
    if (own_) setns(former_, CLONE_NEWNET);
    close(former_);
  }
  thread_network(thread_network const&) = delete;
  thread_network& operator=(thread_network const&) = delete;

  /// False: such a namespace cannot be made here.
  bool is_own() const { return own_; }
  void add(char const* address) {
    auto wanted = named("lo:1");
    sockaddr_in position{};
    position.sin_family = AF_INET;
    inet_pton(AF_INET, address, &position.sin_addr);
    std::memcpy(&wanted.ifr_addr, &position, sizeof position);
    ask(SIOCSIFADDR, wanted);
  }
  void remove() { flag("lo:1", 0); }

 private:
  static ifreq named(char const* name) {
    ifreq out{};
    std::strcpy(out.ifr_name, name);
    return out;
  }
  static void flag(char const* name, short value) {
    auto wanted = named(name);
    wanted.ifr_flags = value;
    ask(SIOCSIFFLAGS, wanted);
  }
  static void ask(unsigned long count, ifreq& interface) {
    int const fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool const done = ioctl(fd, count, &interface) == 0;
    close(fd);
    if (!done) throw std::runtime_error("an address of a network namespace: " + std::string(std::strerror(errno)));
  }

  int former_;
  bool own_ = false;
};

}  // namespace svc::test
