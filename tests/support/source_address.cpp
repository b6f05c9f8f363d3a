// LD_PRELOAD: every TCP connection to 127.0.0.1 is made from the address TEST_SOURCE_ADDRESS, another one of
// 127.0.0.0/8, so that a gate of the tests knows which process it is.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>

extern "C" int connect(int fd, sockaddr const* address, socklen_t size) {
  static auto const real = reinterpret_cast<int (*)(int, sockaddr const*, socklen_t)>(::dlsym(RTLD_NEXT, "connect"));
  char const* const own = std::getenv("TEST_SOURCE_ADDRESS");
  auto const* const internet = reinterpret_cast<sockaddr_in const*>(address);
  if (own != nullptr && address->sa_family == AF_INET && internet->sin_addr.s_addr == htonl(INADDR_LOOPBACK)) {
    sockaddr_in source{};
    source.sin_family = AF_INET;
    ::inet_pton(AF_INET, own, &source.sin_addr);
    int const context = 1;
    ::setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &context, sizeof context);
    ::bind(fd, reinterpret_cast<sockaddr const*>(&source), sizeof source);
  }
  return real(fd, address, size);
}
