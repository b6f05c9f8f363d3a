#include "svc-runner/client/http_connection.hpp"

#include "support/run_task.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <vector>

using namespace svc;
using namespace svc::runner;

namespace {

using local = asio::local::stream_protocol;
using peer_socket = asio::basic_stream_socket<local, executor>;

/// The server's answer to one request.
struct scripted_reply {
  std::string headers{};  ///< further fields, each with its line end
  enum class action : std::uint8_t { keep, close, close_without_reply, stay_silent } then = action::keep;
};

/// A service on a Unix socket whose replies the test scripts. It answers the requests of all connections in turn.
class scripted_service {
 public:
  explicit scripted_service(asio::io_context& io) : io_(io) { asio::co_spawn(io_, accept(), asio::detached); }
  endpoint address() const { return {.tls = false, .unix_path = path_}; }

  std::vector<scripted_reply> replies{};
  std::vector<std::string> requests{};
  int connections = 0;

 private:
  task<> accept() {
    for (;;) {
      auto [ec, socket] = co_await acceptor_.async_accept(awaiting);
      if (ec) co_return;
      ++connections;
      asio::co_spawn(io_, serve(std::move(socket)), asio::detached);
    }
  }
  task<> serve(peer_socket socket) {
    for (;;) {
      std::string request;
      // The body of each request is `{}`.
      while (!request.ends_with("\r\n\r\n{}")) {
        char byte = 0;
        auto const [ec, size] = co_await asio::async_read(socket, asio::buffer(&byte, 1), awaiting);
        if (ec) co_return;
        request += byte;
      }
      auto const index = requests.size();
      requests.push_back(request);
      auto const reply = index < replies.size() ? replies[index] : scripted_reply{};
      using enum scripted_reply::action;
      if (reply.then == close_without_reply) co_return;
      if (reply.then == stay_silent) {
        // The pause is longer than the deadlines of the tests, so that only a missing deadline waits for its end.
        steady_timer patience(io_, std::chrono::seconds(5));
        co_await patience.async_wait(awaiting);
        co_return;
      }
      auto const text = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n" + reply.headers + "\r\nbody";
      co_await asio::async_write(socket, asio::buffer(text), awaiting);
      if (reply.then == close) co_return;
    }
  }

  asio::io_context& io_;
  test::temporary_directory directory_{};
  std::string path_ = directory_.path() + "/service.sock";
  asio::basic_socket_acceptor<local, executor> acceptor_{io_, local::endpoint(path_)};
};

struct connection_fixture {
  http_reply post(milliseconds patience = milliseconds(10'000)) {
    return test::run_task(io,
                          connection.post("/v1/claims", "{}", secret_string("secret"), deadline::after(patience)));
  }
  /// Returns the sentence of the exception, or "reply".
  std::string loss(milliseconds patience = milliseconds(10'000)) {
    try {
      post(patience);
      return "reply";
    } catch (connection_lost const& lost) {
      return lost.what();
    }
  }

  asio::io_context io{1};
  scripted_service service{io};
  asio::ssl::context tls = make_client_tls("");
  http_connection connection{io, service.address(), tls};
};

}  // namespace

TEST_CASE("a request carries the token, and the next request uses the same connection") {
  connection_fixture fixture;
  CHECK_FALSE(fixture.connection.open());
  for (int i = 0; i < 2; ++i) {
    auto const reply = fixture.post();
    CHECK(reply.status == 200);
    CHECK(reply.body == "body");
    CHECK(fixture.connection.open());
  }
  CHECK(fixture.service.connections == 1);
  REQUIRE(fixture.service.requests.size() == 2);
  auto const& request = fixture.service.requests.back();
  for (auto const* const line :
       {"POST /v1/claims HTTP/1.1\r\n", "Host: localhost\r\n", "Authorization: Bearer secret\r\n",
        "Content-Type: application/json\r\n", "Content-Length: 2\r\n"}) {
    CAPTURE(line);
    CHECK(request.find(line) != std::string::npos);
  }
}

TEST_CASE("a request after a lost connection opens another connection") {
  using enum scripted_reply::action;
  struct {
    char const* name;
    scripted_reply first;
    bool first_fails;
    bool second_fails;  ///< its request uses a connection whose end the client has not noticed
  } const cases[] = {
      {"closed without a reply", {.then = close_without_reply}, true, false},
      {"closed after a reply that promised to keep it", {.then = close}, false, true},
      {"closed as the reply says", {.headers = "Connection: close\r\n", .then = close}, false, false},
      {"to be closed by the client", {.headers = "Connection: close\r\n"}, false, false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    connection_fixture fixture;
    fixture.service.replies = {c.first};
    CHECK((fixture.loss() != "reply") == c.first_fails);
    CHECK(fixture.connection.open() == c.second_fails);
    if (c.second_fails) {
      CHECK(fixture.loss() != "reply");
      CHECK_FALSE(fixture.connection.open());
    }
    CHECK(fixture.loss() == "reply");
    CHECK(fixture.connection.open());
    CHECK(fixture.service.connections == 2);
  }
}

TEST_CASE("a request ends at its deadline, and the next one is not delayed by it") {
  connection_fixture fixture;
  using enum scripted_reply::action;
  fixture.service.replies = {{}, {.then = stay_silent}, {}, {.then = close_without_reply}};
  CHECK(fixture.loss() == "reply");
  CHECK(fixture.loss(milliseconds(50)) == "no answer in time");
  CHECK_FALSE(fixture.connection.open());
  CHECK(fixture.loss() == "reply");
  CHECK(fixture.service.connections == 2);
  // A later loss has its own reason.
  CHECK(fixture.loss().starts_with("no answer: "));
}

TEST_CASE("the deadline of an answered request does not end the next request") {
  connection_fixture fixture;
  CHECK(fixture.loss(milliseconds(300)) == "reply");
  steady_timer passed(fixture.io, milliseconds(310));
  test::run_task(fixture.io, [](steady_timer& timer) -> task<> { co_await timer.async_wait(awaiting); }(passed));
  CHECK(fixture.loss() == "reply");
  CHECK(fixture.service.connections == 1);
}

TEST_CASE("closing a connection ends its request in progress") {
  connection_fixture position;
  position.service.replies = {{.then = scripted_reply::action::stay_silent}};
  auto const close_later = [](connection_fixture& fixture) -> task<> {
    steady_timer poll(fixture.io);
    while (fixture.service.requests.empty()) {
      poll.expires_after(milliseconds(1));
      co_await poll.async_wait(awaiting);
    }
    fixture.connection.close();
  };
  asio::co_spawn(position.io, close_later(position), asio::detached);
  CHECK(position.loss().starts_with("no answer: "));
  CHECK(position.service.requests.size() == 1);
}

TEST_CASE("a pause that the service asks for is at most a minute, and anything but seconds is ignored") {
  struct {
    char const* value;
    int expected;  ///< milliseconds
  } const cases[] = {
      {"", 0},
      {"0", 0},
      {"1", 1000},
      {"59", 59'000},
      {"60", 60'000},
      {"61", 60'000},
      {"3600", 60'000},
      {"999999", 60'000},
      {"-1", 0},
      {"1.5", 0},
      {"soon", 0},
      {"Fri, 31 Dec 1999 23:59:59 GMT", 0},
      {"99999999999999999999", 0},
  };
  connection_fixture fixture;
  for (auto const& c : cases)
    fixture.service.replies.push_back({.headers = "Retry-After: " + std::string(c.value) + "\r\n"});
  for (auto const& c : cases) {
    CAPTURE(c.value);
    CHECK(fixture.post().retry_after == milliseconds(c.expected));
  }
}
