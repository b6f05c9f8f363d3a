#include "support/free_port.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>

namespace svc::test {

namespace {

// Below those that the kernel gives to outgoing connections (from 32768 on, ip(7)): one of these may hold the port of
// a server that is being restarted, also for a minute after its end.
constexpr int lowest_port = 10'000, highest_port = 32'767;

bool is_free(int port) {
  int const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<in_port_t>(port));
  bool const good = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  close(fd);
  return good;
}

/// Concurrent tests choose too, and bind later. The name of a socket (unix(7), abstract) marks the port as taken
/// until the process ends.
bool reserve(int port) {
  std::string const name = "svc-test-port-" + std::to_string(port);
  int const fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::ranges::copy(name, address.sun_path + 1);
  auto const size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0) return true;
  close(fd);
  return false;
}

}  // namespace

int free_port() {
  static thread_local std::mt19937 random{std::random_device{}()};
  std::uniform_int_distribution<int> any(lowest_port, highest_port);
  for (int attempts = 0; attempts < 1000; ++attempts) {
    if (int const port = any(random); is_free(port) && reserve(port)) return port;
  }
  throw std::runtime_error("no free port");
}

}  // namespace svc::test
