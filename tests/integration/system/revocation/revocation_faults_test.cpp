#include "integration/system/faults/faults.hpp"
#include "integration/system/overload/worker_connections.hpp"

#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace svc::test {
namespace {

constexpr auto dead = "401 token_revoked";

struct victim {
  std::string id, key;
};

victim make_victim(api_client& owner, std::string const& name = "victim") {
  auto const got = owner.post("/api/cli-tokens", R"({"name":")" + name + "\"}");
  REQUIRE_MESSAGE(got.status == 201, got.body);
  auto const made = body_of(got);
  return {text_of(made, "/token/id"), text_of(made, "/token/key")};
}

std::string path_of(victim const& token) {
  return "/api/cli-tokens/" + token.id;
}

std::string epoch_key_of(tenant const& owner) {
  return "svc:{" + owner.user_id + "}:epoch";
}

std::string stored_epoch(fleet const& fleet, tenant const& owner) {
  return fleet.sql("SELECT epoch FROM subjects WHERE id = '" + owner.user_id + "'")[0][0];
}

/// Dead in time, and never alive again.
void check_dies(std::vector<api_client>& connections, milliseconds within) {
  CHECK(comes_true([&] { return whoami(connections) == dead; }, within));
  for (int i = 0; i < 20; ++i) CHECK(whoami(connections) == dead);
}

TEST_CASE("a revoked token stays dead when Redis loses its epoch, returns to an old state, or is never updated") {
  fleet fleet(2);
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  std::string epoch_before;
  auto const end = [&](victim const& token) { CHECK(owner.del(path_of(token)).status == 204); };
  struct {
    std::string name;
    std::function<void(victim const&)> revoke;
    milliseconds within;
  } const faults[] = {
      {"key deleted",
       [&](victim const& token) {
         end(token);
         fleet.redis({"DEL", epoch_key_of(tenant)});
       },
       milliseconds(0)},
      {"all deleted",
       [&](victim const& token) {
         end(token);
         fleet.redis({"FLUSHALL"});
       },
       milliseconds(0)},
      {"scripts deleted",
       [&](victim const& token) {
         fleet.redis({"SCRIPT", "FLUSH"});
         end(token);
       },
       milliseconds(0)},
      {"the epoch of before, as after a failover",
       [&](victim const& token) {
         end(token);
         fleet.redis({"SET", epoch_key_of(tenant), epoch_before});
       },
       dead_within},
      {"never told",
       [&](victim const& token) {
         auto pages = fleet.pages(0);
         CHECK(pages.post("/debug/failpoints", "change.after_commit=throw*1").status == 200);
         CHECK(owner.del(path_of(token)).status == 503);
       },
       dead_within},
  };
  for (auto const& fault : faults) {
    CAPTURE(fault.name);
    bool const revives = fault.within > milliseconds(0);
    bool alive = false;
    // The relay may be faster than the first check of the fault's effect, but hardly ever each time.
    for (int round = 0; round < 5 && !alive; ++round) {
      auto const token = make_victim(owner);
      auto connections = connections_of(fleet, token.key);
      CHECK(whoami(connections) == "200");
      epoch_before = fleet.redis({"GET", epoch_key_of(tenant)});
      fault.revoke(token);
      alive = whoami(connections) != dead;
      check_dies(connections, fault.within);
      if (!revives) break;
    }
    CHECK(alive == revives);
    auto others = connections_of(fleet, tenant.token);
    CHECK(whoami(others) == "200");
  }
}

TEST_CASE("Redis stopped during a revocation: the token is dead with the answer, and when Redis is back") {
  fleet fleet(2, default_deadlines);
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const token = make_victim(owner);
  auto connections = connections_of(fleet, token.key);
  CHECK(whoami(connections) == "200");
  {
    stopped_process const redis(fleet.dev().pid_of("redis"));
    auto const got = owner.del(path_of(token));
    CHECK_MESSAGE(got.status == 204, got.body);
    check_dies(connections, milliseconds(0));
  }
  CHECK(limits_become(fleet, "shared", patience, [&] { CHECK(whoami(connections) == dead); }));
  check_dies(connections, milliseconds(0));
}

/// The ids of the connections on which workers take decisions: while there are no requests, only these are proven.
std::vector<std::string> deciding_connections(redis_session& session) {
  std::vector<std::string> out;
  std::istringstream all(session.ask({"CLIENT", "LIST"}));
  for (std::string line; std::getline(all, line);) {
    // Others were only asked by PING when they were opened.
    bool proven = line.find(" age=0 ") == line.npos && line.find(" age=1 ") == line.npos;
    for (auto const* sign : {" name=svcd ", " cmd=ping ", " idle=0 "})
      proven = proven && line.find(sign) != line.npos;
    if (proven) out.push_back(line.substr(3, line.find(' ') - 3));
  }
  return out;
}

TEST_CASE("a worker that cannot connect to Redis: changes made there hold on the other one") {
  fleet fleet(1, {"SVC_WORKERS=2", "SVC_REDIS_DEADLINE=50ms"});
  auto const tenant = fleet.make_tenant();
  auto owners = connections_of(fleet, tenant.token);
  redis_session operator_(fleet.redis_socket());
  std::vector<std::string> deciding;
  REQUIRE(comes_true([&] { return (deciding = deciding_connections(operator_)).size() == 2; }, patience));
  for (auto const& connection : deciding) {
    std::vector<victim> victims;
    for (std::size_t i = 0; i < owners.size(); ++i)
      victims.push_back(make_victim(owners[i], "victim " + std::to_string(i)));
    REQUIRE(limits_become(fleet, "shared", patience, [] {}));
    auto const clients = operator_.ask({"CLIENT", "LIST"});
    auto const left = std::count(clients.begin(), clients.end(), '\n') - 1;
    operator_.ask({"CONFIG", "SET", "maxclients", std::to_string(left)});
    operator_.ask({"CLIENT", "KILL", "ID", connection});
    REQUIRE(comes_true([&] { return limits_of(fleet, 0) == "mixed"; }, patience));
    for (std::size_t i = 0; i < owners.size(); ++i) {
      auto connections = connections_of(fleet, victims[i].key);
      CHECK(whoami(connections) == "200");
      CHECK(owners[i].del(path_of(victims[i])).status == 204);
      check_dies(connections, milliseconds(0));
    }
    operator_.ask({"CONFIG", "SET", "maxclients", "10000"});
    REQUIRE(limits_become(fleet, "shared", patience, [] {}));
  }
}

TEST_CASE("Redis stopped at COMMIT and the instance killed: the other one delivers the epoch") {
  fleet fleet(2);
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(1, tenant.token);
  auto const token = make_victim(owner);
  std::vector<api_client> connections;
  for (int i = 0; i < 2; ++i) connections.push_back(fleet.client(0, token.key));
  CHECK(whoami(connections) == "200");
  // Admitted before Redis stops, so that Redis stops between the admission and the raise.
  CHECK(
      fleet.pages(1).post("/debug/failpoints", "pipeline.before_handler=delay:300,change.after_commit=exit").status ==
      200);
  auto const admitted = [&] { return fleet.redis({"LLEN", "svc:{" + tenant.user_id + "}:w:cli:60"}); };
  auto const before = admitted();
  bool answered = true;
  std::thread revocation([&] {
    try {
      owner.del(path_of(token));
    } catch (std::runtime_error const&) {
      answered = false;
    }
  });
  CHECK(comes_true([&] { return admitted() != before; }, patience));
  process_watch const watch(fleet.process(1).pid());
  {
    stopped_process const redis(fleet.dev().pid_of("redis"));
    CHECK(watch.ended_within(patience));
    revocation.join();
  }
  CHECK_FALSE(answered);
  // Nobody has used the token since then: only the relay did it.
  CHECK(comes_true([&] { return fleet.redis({"GET", epoch_key_of(tenant)}) == stored_epoch(fleet, tenant); },
                   dead_within));
  check_dies(connections, milliseconds(0));
}

TEST_CASE("a database that went back in time is advanced above the epoch that Redis holds") {
  fleet fleet(2);
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const token = make_victim(owner);
  auto warm = connections_of(fleet, tenant.token);
  CHECK(whoami(warm) == "200");
  auto const before = stored_epoch(fleet, tenant);
  fleet.sql("UPDATE subjects SET epoch = 1 WHERE id = '" + tenant.user_id + "'");
  // No worker holds this token, so the first use reads the database that went back.
  auto connections = connections_of(fleet, token.key);
  CHECK(whoami(connections) == "200");
  CHECK(std::atoll(stored_epoch(fleet, tenant).c_str()) > std::atoll(before.c_str()));
  CHECK(whoami(warm) == "200");
  // A later change still counts.
  CHECK(owner.del(path_of(token)).status == 204);
  check_dies(connections, milliseconds(0));
}

}  // namespace
}  // namespace svc::test
