#include "integration/monitoring/checks/fixture.hpp"
#include "support/free_port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>

namespace svc::checks {
namespace {

sockaddr_in loopback(std::string const& address, int port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  inet_pton(AF_INET, address.c_str(), &out.sin_addr);
  out.sin_port = htons(static_cast<std::uint16_t>(port));
  return out;
}

/// A UDP port of 127.0.0.1 that answers each datagram with a text, or with nothing.
class udp_echo {
 public:
  explicit udp_echo(std::optional<std::string> answer)
      : answer_(std::move(answer)), fd_(socket(AF_INET, SOCK_DGRAM, 0)) {
    auto address = loopback("127.0.0.1", 0);
    REQUIRE(bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    socklen_t size = sizeof address;
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~udp_echo() {
    over_ = true;
    thread_.join();
    close(fd_);
  }
  int port() const { return port_; }
  std::string last() const {
    std::lock_guard const hold(lock_);
    return last_;
  }

 private:
  void run() {
    std::array<char, 4096> buffer{};
    while (!over_) {
      pollfd owner{fd_, POLLIN, 0};
      if (poll(&owner, 1, 20) <= 0) continue;
      sockaddr_in address{};
      socklen_t size = sizeof address;
      auto const got = recvfrom(fd_, buffer.data(), buffer.size(), 0, reinterpret_cast<sockaddr*>(&address), &size);
      std::lock_guard const hold(lock_);
      last_.assign(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (answer_) sendto(fd_, answer_->data(), answer_->size(), 0, reinterpret_cast<sockaddr*>(&address), size);
    }
  }

  std::optional<std::string> answer_;
  int fd_, port_ = 0;
  mutable std::mutex lock_;
  std::string last_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

std::string members(int port, std::string const& more) {
  std::string out = R"({"port":)" + std::to_string(port) + more + "}";
  for (char& c : out)
    if (c == '\'') c = '"';
  return out;
}

}  // namespace

TEST_CASE("TCP ports: open, closed, silent, and the text of the server") {
  http_server greeting([](http_connection& connection) {
    connection.send("220 mail");
    std::this_thread::sleep_for(20ms);
    connection.send(".test ESMTP\r\n");
    connection.hold();
  });
  http_server mute([](http_connection& context) { context.hold(); });
  http_server closing([](http_connection&) {});
  http_server resetting([](http_connection& client) { client.some(), client.reset(); });
  http_server echo([](http_connection& client) { client.send("you said " + client.some()), client.hold(); });
  http_server flood([](http_connection& client) {
    while (client.send(std::string(4096, 'a'))) continue;
  });
  full_listener const full;
  int const nothing = free_port();
  struct {
    std::string name;
    int port;
    std::string more, wanted;
  } const cases[] = {
      {"open", mute.port(), "", "up"},
      {"closed", nothing, "", "down connect_refused"},
      {"no way to connect", full.port(), ",'timeoutSeconds':1", "timeout connect_timeout"},
      {"greets", greeting.port(), ",'expect':'^220 .*ESMTP'", "up"},
      {"greets otherwise, and waits", greeting.port(), ",'expect':'^SSH-','timeoutSeconds':5",
       "down assertion_failed"},
      {"says nothing", mute.port(), ",'expect':'^SSH-','timeoutSeconds':1", "timeout first_byte_timeout"},
      {"closes", closing.port(), ",'expect':'.'", "down connect_reset"},
      {"resets", resetting.port(), ",'send':'a','expect':'.'", "down connect_reset"},
      {"answers", echo.port(), ",'send':'PING\\r\\n','expect':'said PING'", "up"},
      {"says too much", flood.port(), ",'expect':'b'", "down assertion_failed"},
      {"no TLS there", echo.port(), ",'tls':true", "down tls_failed"},
      {"silent in the handshake", mute.port(), ",'tls':true,'timeoutSeconds':1", "timeout tls_timeout"},
      {"closed, as it should be", nothing, ",'expectClosed':true", "up"},
      {"filtered, as it should be", full.port(), ",'expectClosed':true,'timeoutSeconds':1", "up"},
      {"open, and should not be", mute.port(), ",'expectClosed':true", "down port_open"},
  };
  probing probe;
  std::vector<check_of> all;
  for (auto const& c : cases) all.push_back({"port_check", "a.test", members(c.port, c.more)});
  auto const got = run_once(probe, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(cases[i].name);
    CHECK(outcome(got[i]) == cases[i].wanted);
  }
}

TEST_CASE("a target that sends many small pieces does not make a large expect expensive") {
  http_server dripping([](http_connection& connection) {
    for (int i = 0; i < 300; ++i) {
      connection.send("0123456789");
      std::this_thread::sleep_for(1ms);
    }
    connection.hold();
  });
  std::string large;
  for (int i = 0; i < 15; ++i) large += "a{999}";
  probing probe;
  auto const got =
      probe.once({"port_check", "a.test", members(dripping.port(), ",'timeoutSeconds':2,'expect':'" + large + "'")});
  CHECK(outcome(got) == "down assertion_failed");
  CHECK(got.result.known.error->message.find("too many pieces") != std::string::npos);
}

TEST_CASE("the facts of a TCP check") {
  http_server server([](http_connection& connection) { connection.send("hello"), connection.hold(); });
  probing probe;
  auto const got = probe.once({"port_check", "127.0.0.1", members(server.port(), ",'expect':'hello'")});
  CHECK(outcome(got) == "up");
  CHECK(got.result.known.ip_address == "127.0.0.1");
  CHECK(got.result.response_time_ms.value_or(0) > 0);
  CHECK(got.result.known.phases->connect_ms);
  CHECK(got.result.known.phases->first_byte_ms);
  http_server slow([](http_connection& context) {
    std::this_thread::sleep_for(30ms);
    context.send("hello"), context.hold();
  });
  for (auto const& [limit, wanted] : {std::pair{"60000", "up"}, {"1", "up degraded"}})
    CHECK(outcome(probe.once({"port_check", "a.test",
                              members(slow.port(), std::string(",'expect':'hello','degradedAfterMs':") + limit)})) ==
          wanted);
}

TEST_CASE("TLS on a TCP port is verified") {
  auto const ca = make_throwaway_ca("DNS:a.test");
  auto const expired = make_throwaway_ca("DNS:a.test", -60s);
  temporary_directory files;
  http_server good({.tls = &ca},
                   [](http_connection& connection) { connection.send("+OK ready\r\n"), connection.hold(); });
  http_server late({.tls = &expired}, [](http_connection& context) { context.hold(); });
  probing probe(knowing({{"a.test", {"127.0.0.1"}}, {"b.test", {"127.0.0.1"}}}),
                files.write("ca.pem", ca.authority + expired.authority));
  auto const got = probe.once({"port_check", "a.test", members(good.port(), ",'tls':true,'expect':'^.OK'")});
  CHECK(outcome(got) == "up");
  REQUIRE(got.result.known.tls);
  CHECK(got.result.known.tls->subject == "CN=server");
  CHECK(got.result.known.phases->tls_ms);
  CHECK(outcome(probe.once({"port_check", "b.test", members(good.port(), ",'tls':true")})) ==
        "down certificate_wrong_host");
  CHECK(outcome(probe.once({"port_check", "a.test", members(late.port(), ",'tls':true")})) ==
        "down certificate_expired");
}

TEST_CASE("UDP ports: a reply, another, silence, and nobody there") {
  udp_echo answering("pong"), silent(std::nullopt);
  int const nothing = free_port();
  struct {
    std::string name;
    int port;
    std::string more, wanted, proof;
  } const cases[] = {
      {"a reply", answering.port(), ",'send':'ping','expect':'^pong$'", "up", ""},
      {"any reply", answering.port(), "", "up", ""},
      {"another reply", answering.port(), ",'send':'ping','expect':'cow'", "down assertion_failed", ""},
      {"silence where a reply is expected", silent.port(), ",'expect':'a'", "timeout udp_no_reply", ""},
      {"silence after something was sent", silent.port(), ",'send':'a'", "timeout udp_no_reply", ""},
      {"silence", silent.port(), "", "up", "no_icmp_error"},
      {"nobody", nothing, "", "down connect_refused", ""},
      {"nobody, as it should be", nothing, ",'expectClosed':true", "up", ""},
      {"silence, as it should be", silent.port(), ",'expectClosed':true", "up", "no_reply"},
      {"a reply that should not be", answering.port(), ",'expectClosed':true", "down port_open", ""},
  };
  probing probe;
  std::vector<check_of> all;
  for (auto const& c : cases)
    all.push_back({"port_check", "a.test", members(c.port, c.more + ",'protocol':'udp','timeoutSeconds':1")});
  auto const got = run_once(probe, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(cases[i].name);
    CHECK(outcome(got[i]) == cases[i].wanted);
    CHECK(got[i].result.known.proof == cases[i].proof);
  }
  probe.once({"port_check", "a.test", members(answering.port(), ",'protocol':'udp','send':'ping'")});
  CHECK(answering.last() == "ping");
}

TEST_CASE("no closed address is connected to, by any type of check") {
  int const port = free_port();
  http_server closed({.address = "127.0.0.2", .port = port}, [](http_connection&) {});
  int const udp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  auto at_udp = loopback("127.0.0.2", port);
  REQUIRE(bind(udp, reinterpret_cast<sockaddr*>(&at_udp), sizeof at_udp) == 0);
  probing probe;
  auto const number = std::to_string(port);
  check_of const all[] = {
      {"http_request", "http://127.0.0.2:" + number + "/"},
      {"http_request", "http://inside.test:" + number + "/"},
      {"website", "http://inside6.test:" + number + "/"},
      {"http_request", "http://[::ffff:127.0.0.2]:" + number + "/"},
      {"port_check", "127.0.0.2", members(port, "")},
      {"port_check", "inside.test", members(port, "")},
      {"port_check", "inside.test", members(port, ",'tls':true")},
      {"port_check", "inside.test", members(port, ",'expectClosed':true")},
      {"port_check", "inside.test", members(port, ",'protocol':'udp','send':'a'")},
      {"port_check", "::ffff:127.0.0.2", members(port, ",'protocol':'udp','send':'a'")},
      {"ping_host", "inside.test"},
      {"ping_host", "::1"},
      {"dns", "a.test", R"({"recordType":"A","resolver":"127.0.0.2:)" + number + "\"}"},
  };
  for (auto const& check : all) {
    CAPTURE(check.target);
    CAPTURE(check.config);
    auto const got = probe.once(check);
    CHECK(outcome(got) == "error address_blocked");
    CHECK_FALSE(got.result.known.ip_address);
    CHECK(checks::details_json(got.result).find("127.0.0.2") == std::string::npos);
  }
  CHECK(closed.connections() == 0);
  std::array<char, 16> buffer{};
  CHECK(recv(udp, buffer.data(), buffer.size(), 0) < 0);
  close(udp);
}

}  // namespace svc::checks
