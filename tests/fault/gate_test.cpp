// Tests that the gate treats only the named party's bytes, and as requested.
#include "gate.hpp"
#include "stores.hpp"
#include "support/comes_true.hpp"

#include <doctest/doctest.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace svc::test {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds soon{5000}, for_a_while{100};

/// A connection to a port of 127.0.0.1 as a party.
class wire {
 public:
  wire(int port, int party) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl((INADDR_LOOPBACK & 0xFFFFFF00) | static_cast<unsigned>(party));
    ::bind(fd_, reinterpret_cast<sockaddr const*>(&address), sizeof address);
    sockaddr_in target{};
    target.sin_family = AF_INET;
    target.sin_port = htons(static_cast<std::uint16_t>(port));
    target.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(fd_, reinterpret_cast<sockaddr const*>(&target), sizeof target) == 0);
  }
  ~wire() { ::close(fd_); }
  wire(wire const&) = delete;
  wire& operator=(wire const&) = delete;

  void send(std::string const& subject) const {
    CHECK(::send(fd_, subject.data(), subject.size(), MSG_NOSIGNAL) == std::ssize(subject));
  }
  /// Returns the bytes received since the last call; "reset" or "end" at the end of the connection.
  std::string read() const {
    char block[4096];
    auto const n = ::recv(fd_, block, sizeof block, MSG_DONTWAIT);
    if (n > 0) return {block, static_cast<std::size_t>(n)};
    if (n == 0) return "end";
    return errno == ECONNRESET ? "reset" : "";
  }
  bool gets(std::string const& subject, milliseconds within = soon) const {
    std::string all;
    return comes_true([&] { return (all += read()) == subject; }, within);
  }

 private:
  int fd_;
};

/// A Redis behind a gate.
struct gated_redis {
  private_redis server{};
  gate before{server.socket()};
};

constexpr char const *ping = "PING\r\n", *pong = "+PONG\r\n";

TEST_CASE(
    "gate: bytes that are held in one or both directions arrive later, also on new connections, only for that "
    "party") {
  gated_redis redis;
  for (auto const passage : {deaf_server, deaf_client, severed}) {
    CAPTURE(passage.requests_held);
    CAPTURE(passage.answers_held);
    wire const ours(redis.before.port(), 11), theirs(redis.before.port(), 12);
    ours.send(ping);
    CHECK(ours.gets(pong));
    redis.before.let(passage, 11);
    wire const late(redis.before.port(), 11);
    for (auto const* wire : {&ours, &theirs, &late}) wire->send(ping);
    CHECK(theirs.gets(pong));
    CHECK_FALSE(ours.gets(pong, for_a_while));
    CHECK_FALSE(late.gets(pong, for_a_while));
    redis.before.let(flowing, 11);
    CHECK(ours.gets(pong));
    CHECK(late.gets(pong));
  }
}

TEST_CASE("gate: requests that only their answers are held of are executed") {
  gated_redis redis;
  wire const ours(redis.before.port(), 11);
  redis.before.let(deaf_client, 11);
  ours.send("SET heard yes\r\n");
  CHECK(comes_true([&] { return redis.server.ask({"GET", "heard"}) == "yes"; }, soon));
  redis.before.let(deaf_server, 11);
  ours.send("SET heard no\r\n");
  CHECK_FALSE(comes_true([&] { return redis.server.ask({"GET", "heard"}) == "no"; }, for_a_while));
  redis.before.let(flowing, 11);
  CHECK(comes_true([&] { return redis.server.ask({"GET", "heard"}) == "no"; }, soon));
}

TEST_CASE("gate: bytes are delayed, cut with a reset, and corrupted") {
  gated_redis redis;
  wire const ours(redis.before.port(), 11);
  redis.before.let({.delay = for_a_while});
  auto const start = std::chrono::steady_clock::now();
  ours.send(ping);
  CHECK(ours.gets(pong));
  CHECK(std::chrono::steady_clock::now() - start >= 2 * for_a_while);

  redis.before.let({.corruption = 1});
  ours.send(ping);
  std::string got;
  CHECK(comes_true([&] { return (got += ours.read()).size() >= std::string(pong).size(); }, soon));
  CHECK(got != pong);
  CHECK(redis.before.corruptions() == 1);

  redis.before.let({.reset = 1});
  ours.send(ping);
  got.clear();
  CHECK(comes_true([&] { return (got += ours.read()).ends_with("reset"); }, soon));
  CHECK(redis.before.resets() == 1);
}

}  // namespace
}  // namespace svc::test
