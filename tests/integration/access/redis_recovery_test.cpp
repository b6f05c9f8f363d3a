#include "integration/access/fixture.hpp"

#include "support/redis_cluster.hpp"
#include "support/temporary_directory.hpp"
#include "svc/access/relay.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/tokens/auth_reader.hpp"
#include "svc/store/tokens/outbox_store.hpp"

#include <filesystem>

using namespace svc;
using namespace std::chrono_literals;

namespace {

/// Recovery that never succeeds, because PostgreSQL is away.
struct without_postgres {
  without_postgres(asio::io_context& io, redis::client& c)
      : db(io, {}),
        authenticator(io, c, reader, {50, 2000}),
        changes(c, outbox, [](std::vector<subject_epoch> const&) {}),
        recovery(c, changes, authenticator) {}

  postgres::pool db;
  store::postgres_auth_reader reader{db};
  access::authenticator authenticator;
  store::outbox_store outbox{db};
  access::relay changes;
  access::redis_recovery recovery;
};

}  // namespace

TEST_CASE("a replica at a stable name, even one that takes writes, is left for the name's new server") {
  test::private_redis old, current;
  test::temporary_directory const names;
  auto const name = names.path() + "/redis";
  std::filesystem::create_symlink(old.socket(), name);
  redis::worker w;
  redis::client c(w.io, redis::patient("unix:" + name), access::scripts(), w.listener());
  w.connect(c);
  // Nobody asks PostgreSQL before Redis is a primary.
  without_postgres postgres(w.io, c);

  old.ask({"CONFIG", "SET", "replica-read-only", "no"});
  old.ask({"REPLICAOF", "127.0.0.1", "1"});  // nothing listens there
  current.ask({"SET", "here", "yes"});
  std::filesystem::remove(name);
  std::filesystem::create_symlink(current.socket(), name);
  CHECK(redis::text(w.ask(c, {"EXISTS", "here"})) == "0");
  CHECK_FALSE(w.run(postgres.recovery.mend(deadline::after(5s))));
  REQUIRE(w.run(c.wait_connected(deadline::after(15s))));
  CHECK(redis::text(w.ask(c, {"EXISTS", "here"})) == "1");
  CHECK(w.changes == std::vector<bool>{true});
}

TEST_CASE("in a Redis Cluster each master must accept writes before any is trusted") {
  test::redis_cluster nodes({.replicas = false});
  redis::worker w;
  auto where = redis::patient("redis://127.0.0.1");
  where.cluster = {*redis::parse_address(nodes.address(0))};
  redis::client c(w.io, where, access::scripts(), w.listener());
  w.connect(c);
  // PostgreSQL is away, so it never succeeds: what has been asked shows how far it came.
  without_postgres postgres(w.io, c);
  auto const written = [&] {
    std::string out;
    for (std::size_t i = 0; i < test::redis_cluster::masters; ++i) out += nodes.node(i).ask({"DBSIZE"});
    return out;
  };
  CHECK_FALSE(w.run(postgres.recovery.mend(deadline::after(2s))));
  // The probe of writes, and the window of the probe of decisions.
  CHECK(written() == "222");
  for (std::size_t i = 0; i < test::redis_cluster::masters; ++i) nodes.node(i).ask({"FLUSHALL"});
  auto const first = nodes.owner("svc:probe" + c.tags().at(0));
  nodes.node(first).ask({"CONFIG", "SET", "maxmemory", "1"});
  CHECK_FALSE(w.run(postgres.recovery.mend(deadline::after(2s))));
  CHECK(written() == "000");
}
