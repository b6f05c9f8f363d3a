#include "net/listen_socket.hpp"

#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

using svc::net::adopt_listen_socket;
using svc::net::open_listen_socket;
using svc::net::peer_address;
using svc::net::unique_fd;

TEST_CASE("bad addresses are refused with their spelling") {
  for (std::string const address :
       {"", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:80x", "127.0.0.1:-1", "::1:80",
        "[::1]", "[127.0.0.1]:80", "localhost:80", "unix:", "unix:/nowhere/at/all"}) {
    CAPTURE(address);
    CHECK_THROWS_WITH_AS(open_listen_socket(address), doctest::Contains(("listen on " + address).c_str()),
                         std::runtime_error);
  }
  CHECK_THROWS_AS(open_listen_socket("unix:/tmp/" + std::string(108, 'x')), std::runtime_error);
}

TEST_CASE("port 0 becomes a real port, which is then in use") {
  auto const first = open_listen_socket("127.0.0.1:0");
  CHECK(first.family == AF_INET);
  CHECK(first.address.starts_with("127.0.0.1:"));
  CHECK_FALSE(first.address.ends_with(":0"));
  CHECK_THROWS_WITH_AS(
      open_listen_socket(first.address),
      ("cannot listen on " + first.address +
       ": Address already in use: another process listens there (`ss -ltnp` shows it): stop it, or change "
       "the address in [[listeners]], admin.address, --listen or --admin")
          .c_str(),
      std::runtime_error);
}

TEST_CASE("a dead socket file is replaced; a live one and a file are not") {
  auto const path = "/tmp/svc_listen_" + std::to_string(::getpid()) + ".sock";
  auto const address = "unix:" + path;
  {
    auto const first = open_listen_socket(address);
    CHECK(first.family == AF_UNIX);
    CHECK(first.unix_path == path);
    CHECK_THROWS_AS(open_listen_socket(address), std::runtime_error);
  }
  CHECK_NOTHROW(open_listen_socket(address));
  ::unlink(path.c_str());
  std::ofstream(path) << "precious";
  CHECK_THROWS_AS(open_listen_socket(address), std::runtime_error);
  struct stat found{};
  CHECK(::stat(path.c_str(), &found) == 0);
  ::unlink(path.c_str());
}

TEST_CASE("a socket's path has the requested mode, whatever the umask") {
  auto const path = "/tmp/svc_mode_" + std::to_string(::getpid()) + ".sock";
  for (unsigned const mode : {0600U, 0660U, 0666U}) {
    auto const before = ::umask(077);
    auto const opened = open_listen_socket("unix:" + path, mode);
    ::umask(before);
    struct stat found{};
    REQUIRE(::stat(path.c_str(), &found) == 0);
    CHECK((found.st_mode & 07777) == mode);
  }
  ::unlink(path.c_str());
}

TEST_CASE("a path of 107 bytes is the longest") {
  std::string const path = "/tmp/svc_long_" + std::string(107 - 14, 'x');
  REQUIRE(path.size() == 107);
  CHECK_NOTHROW(open_listen_socket("unix:" + path));
  ::unlink(path.c_str());
  CHECK_THROWS_AS(open_listen_socket("unix:" + path + "x"), std::runtime_error);
}

TEST_CASE("a socket that listens already is taken with its own address, and its path stays") {
  auto const path = "/tmp/svc_inherited_" + std::to_string(::getpid()) + ".sock";
  for (auto const& made :
       {open_listen_socket("127.0.0.1:0"), open_listen_socket("[::1]:0"), open_listen_socket("unix:" + path)}) {
    CAPTURE(made.address);
    int const passed = ::fcntl(made.descriptor.get(), F_DUPFD, 100);
    auto const taken = adopt_listen_socket(unique_fd(passed), made.unix_path.empty() ? "0.0.0.0:1" : "unix:/other");
    CHECK(taken.address == made.address);
    CHECK(taken.family == made.family);
    CHECK(taken.unix_path.empty());
    CHECK((::fcntl(passed, F_GETFD) & FD_CLOEXEC) != 0);
  }
  ::unlink(path.c_str());
}

TEST_CASE("a descriptor that is not a listening socket of the configured kind is refused") {
  auto const listening = open_listen_socket("127.0.0.1:0");
  struct {
    char const* name;
    int descriptor;
    char const* configured;
    char const* reason;
  } const cases[] = {
      {"closed", 1000, "127.0.0.1:1", "no stream socket that listens"},
      {"a file", ::open("/dev/null", O_RDONLY), "127.0.0.1:1", "no stream socket that listens"},
      {"not listening", ::socket(AF_INET, SOCK_STREAM, 0), "127.0.0.1:1", "no stream socket that listens"},
      {"datagrams", ::socket(AF_INET, SOCK_DGRAM, 0), "127.0.0.1:1", "no stream socket that listens"},
      {"TCP instead of a path", ::dup(listening.descriptor.get()), "unix:/path", "of another family"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK_THROWS_WITH_AS(adopt_listen_socket(unique_fd(c.descriptor), c.configured), doctest::Contains(c.reason),
                         std::runtime_error);
  }
}

TEST_CASE("a client's address as text") {
  sockaddr_storage peer{};
  auto& address = reinterpret_cast<sockaddr_in&>(peer);
  address.sin_family = AF_INET;
  REQUIRE(inet_pton(AF_INET, "192.0.2.7", &address.sin_addr) == 1);
  CHECK(peer_address(peer) == "192.0.2.7");

  auto& in6 = reinterpret_cast<sockaddr_in6&>(peer);
  for (auto const& [given, shown] : {std::pair{"2001:db8::1", "2001:db8::1"}, {"::ffff:192.0.2.7", "192.0.2.7"}}) {
    peer = {};
    in6.sin6_family = AF_INET6;
    REQUIRE(inet_pton(AF_INET6, given, &in6.sin6_addr) == 1);
    CHECK(peer_address(peer) == shown);
  }
  peer = {};
  peer.ss_family = AF_UNIX;
  CHECK(peer_address(peer) == "unix");
}
