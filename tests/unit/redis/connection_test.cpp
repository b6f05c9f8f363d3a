#include "redis/connection.hpp"

#include "support/run_task.hpp"

#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <memory>

using namespace svc;
using namespace svc::redis;

namespace {

using asio::ip::tcp;

/// A command, and the time at which it ended.
class timed_waiter final : public waiter {
 public:
  using waiter::waiter;
  void resume() override { ended = steady::now(); }
  void resume_later() override { ended = steady::now(); }

  std::optional<steady::time_point> ended{};
};

/// An open link to a server that accepts connections and never sends a byte.
struct silent_server {
  silent_server() {
    where.silence_limit = std::chrono::seconds(30);
    auto const connected = test::run_task(io, opened->open({}));
    REQUIRE(connected);
    asio::co_spawn(io, opened->serve(), asio::detached);
  }
  ~silent_server() {
    opened->close("the test is over");
    io.run();
  }
  silent_server(silent_server const&) = delete;
  silent_server& operator=(silent_server const&) = delete;

  void submit(timed_waiter& command) {
    std::array<std::string_view, 1> const words{"PING"};
    REQUIRE(opened->submit({.head = words}, &command));
  }
  void run_until_ended(timed_waiter const& command) {
    while (!command.ended && io.run_one() > 0) {
    }
  }
  /// Time for the link to arm its timer for a command before the next command comes.
  void run_ready_handlers() { io.poll(); }

  asio::io_context io{1};
  tcp::acceptor acceptor{io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  settings where{};
  statistics counters{};
  std::shared_ptr<redis::connection> opened = std::make_shared<redis::connection>(
      io, where, address{"127.0.0.1", std::to_string(acceptor.local_endpoint().port())}, nullptr, counters,
      [](steady::time_point) {});
};

}  // namespace

TEST_CASE("each command ends at its own deadline, in whichever order the commands were sent") {
  for (bool const early_first : {true, false}) {
    CAPTURE(early_first);
    silent_server server;
    auto const now = steady::now();
    timed_waiter early{deadline(now + milliseconds(50))};
    timed_waiter late{deadline(now + milliseconds(2000))};
    server.submit(early_first ? early : late);
    server.run_ready_handlers();
    server.submit(early_first ? late : early);
    server.run_until_ended(early);
    REQUIRE(early.ended);
    CHECK(early.result.state == delivery::missed);
    CHECK(*early.ended >= early.until());
    CHECK(*early.ended < late.until());
    CHECK_FALSE(late.ended);
    CHECK_FALSE(server.opened->closed());
    server.run_until_ended(late);
    REQUIRE(late.ended);
    CHECK(*late.ended >= late.until());
    CHECK_FALSE(server.opened->closed());
  }
}

TEST_CASE("a link whose server owes a reply and stays silent is closed at the silence limit") {
  silent_server server;
  server.where.silence_limit = milliseconds(50);
  timed_waiter command{deadline::after(std::chrono::seconds(10))};
  server.submit(command);
  // Without a waiter, a command arms the timer for the silence limit.
  std::array<std::string_view, 1> const words{"PING"};
  REQUIRE(server.opened->submit({.head = words}, nullptr));
  server.run_until_ended(command);
  REQUIRE(command.ended);
  CHECK(*command.ended < command.until());
  CHECK(server.opened->closed());
  CHECK(server.opened->fault() == "Redis owes replies and is silent");
}
