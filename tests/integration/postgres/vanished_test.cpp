// A process that freezes or vanishes in the middle of a transaction delays others only for a moment.
#include "fixture.hpp"
#include "silent_server.hpp"

#include <netinet/tcp.h>

using namespace svc;
using namespace svc::test;
using postgres::parameters;
using postgres::query;

namespace {

query change(std::int64_t id) {
  return {{"change", "UPDATE item SET label = 'other' WHERE id = $1"}, parameters(id)};
}

int option_of(int fd, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  ::getsockopt(fd, level, name, &value, &size);
  return value;
}

TEST_CASE("a transaction that waits too long for its own process is ended, and its locks are free") {
  for (bool const prepared : {true, false}) {
    CAPTURE(prepared);
    database db({.size = 1, .prepared_statements = prepared, .idle_in_transaction = milliseconds(100)});
    database other({.size = 1});
    db.must(insert(1));
    {
      auto unit = db.wait(db.pool.begin(database::soon()));
      db.wait(unit.run(change(1))).value();
      // Waits for the lock, and gets it when the server has ended the other session.
      auto const before = steady::now();
      other.must(change(1));
      CHECK(steady::now() - before < std::chrono::seconds(2));
      CHECK_THROWS_AS(db.wait(unit.commit({insert(2)})), unavailable);
    }
    CHECK(db.count() == 1);
    CHECK(db.pool.healthy());
    CHECK(db.pool.stats().busy == 0);
  }
}

TEST_CASE("a wait for a lock that lasts too long ends with an error, and the connection stays") {
  for (bool const prepared : {true, false}) {
    CAPTURE(prepared);
    database db({.size = 1, .prepared_statements = prepared, .lock_timeout = milliseconds(100)});
    database other({.size = 1});
    db.must(insert(1));
    auto unit = other.wait(other.pool.begin(database::soon()));
    other.wait(unit.run(change(1))).value();
    CHECK_THROWS_AS(db.run(change(1)), unavailable);
    other.wait(unit.commit()).value();
    db.must(change(1));
    CHECK(db.pool.stats().connects == 1);
  }
}

TEST_CASE("a peer that vanishes is noticed by both sides of a session") {
  database db;
  auto const settings =
      db.must({{"reset_values", "SELECT name, reset_val FROM pg_settings WHERE name LIKE 'tcp\\_%' ORDER BY name"}});
  std::string said;
  for (int i = 0; i < settings.size(); ++i)
    said += std::string(settings[i].text(0)) + " " + std::string(settings[i].text(1)) + "\n";
  CHECK(said == "tcp_keepalives_count 3\ntcp_keepalives_idle 5\ntcp_keepalives_interval 2\ntcp_user_timeout 5000\n");

  struct {
    char const* more;  ///< of the URL
    int idle, user_timeout;
  } const cases[] = {{"", 5, 5000}, {"&keepalives_idle=60&tcp_user_timeout=9000", 60, 9000}};
  for (auto const& c : cases) {
    CAPTURE(c.more);
    silent_server const server;
    asio::io_context io{1};
    auto const url =
        "postgresql://svc@127.0.0.1:" + std::to_string(server.port()) + "/postgres?sslmode=disable" + c.more;
    postgres::pool pool(io, {.url = secret_string(url), .connect_timeout = milliseconds(10'000)});
    pool.start();
    auto const end = steady::now() + std::chrono::seconds(10);
    while (server.client() < 0 && steady::now() < end) io.run_one_for(milliseconds(10));
    int const fd = server.client();
    REQUIRE(fd >= 0);
    CHECK(option_of(fd, SOL_SOCKET, SO_KEEPALIVE) == 1);
    CHECK(option_of(fd, IPPROTO_TCP, TCP_KEEPIDLE) == c.idle);
    CHECK(option_of(fd, IPPROTO_TCP, TCP_KEEPINTVL) == 2);
    CHECK(option_of(fd, IPPROTO_TCP, TCP_KEEPCNT) == 3);
    CHECK(option_of(fd, IPPROTO_TCP, TCP_USER_TIMEOUT) == c.user_timeout);
    pool.stop();
  }
}

}  // namespace
