#pragma once

#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace svc::test {

/// A server that listens and never answers.
class silent_server {
 public:
  silent_server() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in position{};
    position.sin_family = AF_INET;
    position.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof position;
    auto* const address = reinterpret_cast<sockaddr*>(&position);
    REQUIRE(::bind(socket_, address, size) == 0);
    REQUIRE(::listen(socket_, 64) == 0);
    REQUIRE(::getsockname(socket_, address, &size) == 0);
    port_ = position.sin_port;
  }
  ~silent_server() { ::close(socket_); }
  silent_server(silent_server const&) = delete;
  silent_server& operator=(silent_server const&) = delete;

  int port() const { return ntohs(port_); }
  /// Returns how many clients have connected since the last call.
  int visits() const {
    int count = 0;
    for (int fd = ::accept(socket_, nullptr, nullptr); fd >= 0; fd = ::accept(socket_, nullptr, nullptr)) {
      ::close(fd);
      ++count;
    }
    return count;
  }
  /// Returns a descriptor of this process that is connected to the server; -1: none.
  int client() const {
    for (auto const& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      int const fd = std::stoi(entry.path().filename());
      sockaddr_in peer{};
      socklen_t size = sizeof peer;
      bool const known = ::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0;
      if (known && peer.sin_family == AF_INET && peer.sin_port == port_) return fd;
    }
    return -1;
  }

 private:
  int socket_;
  in_port_t port_ = 0;
};

}  // namespace svc::test
