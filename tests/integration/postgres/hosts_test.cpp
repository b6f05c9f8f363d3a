#include "fixture.hpp"
#include "silent_server.hpp"
#include "svc/postgres/primary_watch.hpp"

#include <fstream>

using namespace svc;
using namespace svc::test;

TEST_CASE("among several hosts the primary is used, not the standby that is listed first") {
  private_postgres late;
  late.stop();
  // It follows no primary, so it knows only what it knew when it was stopped.
  std::ofstream(late.directory() + "/data/standby.signal").flush();
  late.start();
  postgres::query const in_recovery{{"in_recovery", "SELECT pg_is_in_recovery()"}};
  struct {
    std::string more;
    bool late;
  } const table[] = {{"", false}, {"&target_session_attrs=any", true}};
  for (auto const& row : table) {
    CAPTURE(row.more);
    asio::io_context io{1};
    postgres::settings settings;
    settings.url =
        secret_string("postgresql://svc@/postgres?host=" + late.directory() + "," + server().directory() + row.more);
    postgres::pool pool(io, settings);
    pool.start();
    auto const asked = run_task(io, pool.run(in_recovery, database::soon()));
    REQUIRE(asked.has_value());
    CHECK(asked->front().boolean(0) == row.late);
  }
}

TEST_CASE("a first host that never answers delays one session for a moment, and is not asked again") {
  silent_server const silent;
  asio::io_context io{1};
  postgres::pool pool(io, {.url = secret_string("postgresql://svc@/postgres?host=127.0.0.1," + server().directory() +
                                                "&port=" + std::to_string(silent.port()) + ",5432"),
                           .size = 4,
                           .connect_timeout = std::chrono::seconds(30)});
  postgres::query const query{{"one", "SELECT 1"}};
  auto const began = steady::now();
  pool.start();
  CHECK(run_task(io, pool.run(query, database::soon())).has_value());
  CHECK(steady::now() - began < std::chrono::seconds(10));
  CHECK(silent.visits() == 1);
  auto const asked = steady::now();
  {
    auto first = run_task(io, pool.begin(database::soon())), second = run_task(io, pool.begin(database::soon())),
         third = run_task(io, pool.begin(database::soon()));
    CHECK(pool.stats().connects == 3);
  }
  // Beside a server that takes longer than its head start the next one is asked too.
  if (steady::now() - asked < milliseconds(250)) CHECK(silent.visits() == 0);
  pool.stop();
}

TEST_CASE("each host says for itself why it gave no session") {
  silent_server const silent;
  asio::io_context io{1};
  postgres::pool pool(io, {.url = secret_string("postgresql://svc@/postgres?host=127.0.0.1,/nowhere&port=" +
                                                std::to_string(silent.port()) + ",5432"),
                           .connect_timeout = milliseconds(300)});
  pool.start();
  std::string reason;
  try {
    run_task(io, pool.run(postgres::query{{"one", "SELECT 1"}}, database::soon()));
  } catch (unavailable const& e) {
    reason = e.what();
  }
  CAPTURE(reason);
  CHECK(reason.find("no connection to 127.0.0.1 port " + std::to_string(silent.port()) + " in time") != reason.npos);
  CHECK(reason.find("/nowhere") != reason.npos);
  pool.stop();
}

TEST_CASE("the watch finds the primary although another host never answers") {
  silent_server const silent;
  postgres::look_around const seen(
      {.url = secret_string("postgresql://svc@/postgres?host=127.0.0.1," + server().directory() +
                            "&port=" + std::to_string(silent.port()) + ",5432")},
      milliseconds(500));
  REQUIRE(seen.servers.size() == 2);
  CHECK_FALSE(seen.servers[0].reached);
  CHECK(seen.servers[1].reached);
  REQUIRE(seen.primary);
  CHECK(seen.primary->server == 1);
  CHECK(seen.primary->identity.timeline == 1);
}
