#include "outage.hpp"

#include <libpq-fe.h>

namespace svc::test {
namespace {

/// Redis proves known tokens, if it answers in time.
std::vector<std::string> const redis_is_well{"SVC_HTTP_DEADLINE=2s", "SVC_REDIS_DEADLINE=1s", "SVC_INSTANCES=2"};

/// Another client holds all connections that the server gives to ordinary users.
class connection_hog {
 public:
  explicit connection_hog(fleet const& fleet) {
    auto const indexes = std::stoul(fleet.sql(
        "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int")
                                        [0][0]);
    // The service would win the race for its own connections: it gets none until all are taken.
    fleet.sql("ALTER ROLE svc_app CONNECTION LIMIT 0");
    fleet.sql("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'svc_app'");
    REQUIRE(comes_true([&] { return fill(fleet.owner_url(), indexes); }, patience));
    fleet.sql("ALTER ROLE svc_app CONNECTION LIMIT -1");
  }

 private:
  using held = std::unique_ptr<PGconn, decltype(&PQfinish)>;

  /// True if it holds all; a session that is being refused takes a connection for a moment.
  bool fill(std::string const& url, std::size_t indexes) {
    while (all_.size() < indexes) {
      held hold(PQconnectdb(url.c_str()), &PQfinish);
      if (PQstatus(hold.get()) != CONNECTION_OK) return false;
      all_.push_back(std::move(hold));
    }
    return true;
  }

  std::vector<held> all_{};
};

/// Where the database is required: 503 in time and never 401. Otherwise: as always.
void check_gone(outage& during) {
  std::vector<std::thread> asking;
  for (auto& connection : during.connections) {
    asking.emplace_back([&connection] {
      check_unavailable(connection, "GET", "/api/jobs");
      check_unavailable(connection, "POST", "/api/cli-tokens", R"({"name":"n"})");
      // The token is known and proven by Redis; only what requires the database fails.
      CHECK(code_of(connection.get("/api/nothing")) == "route_not_found");
    });
  }
  for (auto& t : asking) t.join();
  auto unknown = during.fleet.client(0, during.cold.token);
  check_unavailable(unknown, "GET", "/api/nothing");
  check_lives(during.fleet);
  CHECK(dependencies_become(during.fleet, "degraded", back_within));
}

TEST_CASE("PostgreSQL killed and restarted: 503 in time, no acknowledged write lost, back in 2 s") {
  outage scene(redis_is_well);
  auto const origin = restarted_store::of(scene.fleet.dev().pid_of("postgres"));
  kill_store(scene.fleet, "postgres");
  check_gone(scene);
  restarted_store const back(origin);
  wait_for_postgres(scene.fleet);
  scene.check_recovers();
}

TEST_CASE("PostgreSQL stopped: 503 in time, no acknowledged write lost, back in 2 s") {
  outage scene(redis_is_well);
  {
    stopped_postgres const during(scene.fleet);
    check_gone(scene);
  }
  scene.check_recovers();
}

TEST_CASE("PostgreSQL out of connections: 503 in time, no acknowledged write lost, back in 2 s") {
  outage scene(redis_is_well);
  {
    connection_hog const during(scene.fleet);
    check_gone(scene);
  }
  scene.check_recovers();
}

TEST_CASE("PostgreSQL read-only: writes are 503, reads continue, and writes are back in 2 s") {
  outage scene(redis_is_well);
  auto const set = [&](std::string const& subject) {
    scene.fleet.sql("ALTER SYSTEM " + subject);
    scene.fleet.sql("SELECT pg_reload_conf()");
  };
  auto const writes = [&] { return scene.owner.post("/api/cli-tokens", R"({"name":"n"})").status; };
  set("SET default_transaction_read_only = on");
  CHECK(comes_true([&] { return writes() == 503; }, back_within));
  auto by_key = scene.fleet.client(1, scene.key.key);
  for (int i = 0; i < 20; ++i) {
    check_unavailable(scene.owner, "POST", "/api/cli-tokens", R"({"name":"n"})");
    check_unavailable(scene.owner, "DELETE", "/api/jobs/" + scene.job);
    check_unavailable(by_key, "POST", trigger_path(scene.job));
    CHECK(answers_by(scene.connections, "GET", "/api/jobs") == "200");
  }
  // A token that no worker holds is read as usual.
  auto cold = connections_of(scene.fleet, scene.cold.token);
  CHECK(whoami(cold) == "200");
  check_lives(scene.fleet);
  set("RESET default_transaction_read_only");
  scene.check_recovers();
}

}  // namespace
}  // namespace svc::test
