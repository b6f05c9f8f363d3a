// Three masters with their replicas: where commands go, also while slots move.
#include "integration/redis/cluster_fixture.hpp"
#include "support/free_port.hpp"

#include <algorithm>

using namespace svc;
using namespace svc::redis;

TEST_CASE(
    "Redis Cluster: each command is sent to the master of its slot, given one node, over TLS, with few rights") {
  auto& all = nodes();
  all.await_ready();
  clustered cluster;
  REQUIRE(cluster.connects());
  for (std::size_t i = 0; i < redis_cluster::masters; ++i) {
    auto const tag = tag_on(i, "place");
    CHECK(cluster.ask({"SET", "svc:{" + tag + "}:x", "v" + tag, "PX", "60000"}) == "OK");
    CHECK(all.node(i).ask({"GET", "svc:{" + tag + "}:x"}) == "v" + tag);
    CHECK(cluster.count(tag, "first") == "first 1");
  }
  auto const tags = cluster.redis.tags();
  REQUIRE(tags.size() == redis_cluster::masters);
  std::vector<std::size_t> reached;
  for (auto const& tag : tags) {
    auto const key = "svc:probe" + tag;
    CHECK(text(cluster.w.run(
              cluster.redis.command_at(tag, words{"SET", key, "1", "PX", "10000"}, deadline::after(5s)))) == "OK");
    reached.push_back(all.owner(key));
  }
  std::sort(reached.begin(), reached.end());
  CHECK(std::adjacent_find(reached.begin(), reached.end()) == reached.end());

  auto const read = cluster.w.run(cluster.redis.read_all(
      {"svc:{" + tag_on(0, "place") + "}:x", "svc:nothing", "svc:{" + tag_on(2, "place") + "}:x"},
      deadline::after(5s)));
  REQUIRE(read.value.elements.size() == 3);
  CHECK(read.value.elements[0].text == "v" + tag_on(0, "place"));
  CHECK(read.value.elements[1].is_nil());
  CHECK(read.value.elements[2].text == "v" + tag_on(2, "place"));
  CHECK(cluster.losses == 0);
  CHECK(cluster.w.changes == std::vector<bool>{true});
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all.node(i).ask({"ACL", "LOG"}) == "");
}

TEST_CASE("Redis Cluster: calls of one turn are one EVALSHA for each slot, one write for each master") {
  auto& all = nodes();
  all.await_ready();
  clustered cluster;
  REQUIRE(cluster.connects());
  script_batch batch(cluster.redis, count_two);
  // Four subjects, each twice, on three masters.
  std::vector<std::string> tags{tag_on(0, "batch"), tag_on(1, "batch"), tag_on(2, "batch"), tag_on(0, "other")};
  std::vector<std::array<std::string, 2>> keys;
  for (int i = 0; i < 8; ++i) {
    auto const& tag = tags[static_cast<std::size_t>(i) % 4];
    keys.push_back({"svc:{" + tag + "}:batch", "svc:{" + tag + "}:epoch"});
  }
  std::vector<std::optional<outcome>> got(keys.size());
  auto const commands = cluster.redis.stats().commands, writes = cluster.redis.stats().writes;
  auto const call = [](script_batch& script_batch, std::array<std::string, 2> texts, std::string mine,
                       std::optional<outcome>& into) -> task<> {
    std::string_view const views[] = {texts[0], texts[1]}, arguments[] = {mine};
    into = co_await script_batch.evaluate(views, arguments, deadline::after(5s));
  };
  for (std::size_t i = 0; i < keys.size(); ++i)
    asio::co_spawn(cluster.w.io, call(batch, keys[i], std::to_string(i), got[i]), asio::detached);
  REQUIRE(cluster.w.run_until(
      [&] { return std::all_of(got.begin(), got.end(), [](auto const& g) { return g.has_value(); }); }));
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(text(*got[i]) == std::to_string(i) + (i < 4 ? " 1" : " 2"));
  // A look at the Cluster, of two commands, may come between, also in part.
  auto const sent = cluster.redis.stats().commands - commands, written = cluster.redis.stats().writes - writes;
  CHECK_MESSAGE((sent >= 4 && sent <= 6), sent);
  CHECK(written >= 3);
  CHECK(written <= 5);
}

TEST_CASE("Redis Cluster: a slot moves to a master without slots, and back, under the client's feet") {
  auto& all = nodes();
  all.await_ready();
  clustered cluster;
  REQUIRE(cluster.connects());
  auto const here = tag_on(1, "moves");
  auto const slot = slot_number_of("{" + here + "}");
  CHECK(cluster.count(here, "a") == "a 1");
  all.ask("{" + here + "}", {"SET", "svc:{" + here + "}:epoch", "1"});
  for (auto const end : {all.spare(), std::size_t{1}}) {
    CAPTURE(end);
    auto const before = std::stoi(cluster.count(here, "x").substr(2));
    all.begin_move(slot, end);
    // The keys are at the source; a new key belongs to the target.
    CHECK(cluster.count(here, "b") == "b " + std::to_string(before + 1));
    auto const fresh = "svc:{" + here + "}:new" + std::to_string(end);
    CHECK(cluster.ask({"SET", fresh, "1", "PX", "60000"}) == "OK");
    CHECK(all.node(end).ask({"CLUSTER", "COUNTKEYSINSLOT", std::to_string(slot)}) == "1");
    // One of two keys is here, one there: nobody can run it until the move ends.
    CHECK(all.move_keys(slot, end, 1) == 1);
    auto const torn = cluster.count(here, "c", 1s);
    CHECK_MESSAGE(torn.starts_with("-TRYAGAIN"), torn);
    all.move_keys(slot, end, 100);
    CHECK(cluster.count(here, "d") == "d " + std::to_string(before + 2));
    all.end_move(slot, end);
    CHECK(cluster.count(here, "e") == "e " + std::to_string(before + 3));
    // A master without slots is left as soon as that is known, perhaps before it has answered.
    auto kept = cluster.ask({"GET", fresh});
    for (int again = 0; again < 5 && (kept == "missed" || kept == "unsent"); ++again) {
      REQUIRE(cluster.connects());
      kept = cluster.ask({"GET", fresh});
    }
    CHECK(kept == "1");
    CHECK(all.owner("{" + here + "}") == end);
  }
  // No master has gone while it had slots in the map, but the last move took the spare's only one.
  CHECK(cluster.losses <= 1);
  // The loss of the spare may be noticed only now.
  std::string last;
  for (int again = 0; again < 5 && !last.starts_with("f "); ++again) {
    REQUIRE(cluster.connects());
    last = cluster.count(here, "f");
  }
  CHECK_MESSAGE(last.starts_with("f "), last);
  CHECK(cluster.ask({"SET", "svc:{" + here + "}:new1", "1", "PX", "1"}) == "OK");
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all.node(i).ask({"ACL", "LOG"}) == "");
}

TEST_CASE(
    "Redis Cluster: commands that wait while their slot's keys are split are answered when the keys are together") {
  auto& all = nodes();
  all.await_ready();
  clustered cluster;
  REQUIRE(cluster.connects());
  auto const here = tag_on(0, "torn");
  auto const slot = slot_number_of("{" + here + "}");
  CHECK(cluster.count(here, "a") == "a 1");
  all.ask("{" + here + "}", {"SET", "svc:{" + here + "}:epoch", "1"});
  all.begin_move(slot, 1);
  all.move_keys(slot, 1, 1);
  std::optional<outcome> got;
  auto const call = [](client& client, std::string tag, std::optional<outcome>& into) -> task<> {
    auto const log = "svc:{" + tag + "}:log", epoch = "svc:{" + tag + "}:epoch";
    std::string_view const keys[] = {log, epoch}, arguments[] = {"b"};
    into = co_await client.evaluate(count_two, keys, arguments, deadline::after(8s));
  };
  asio::co_spawn(cluster.w.io, call(cluster.redis, here, got), asio::detached);
  auto const later = deadline::after(100ms);
  cluster.w.run_until([&] { return later.passed() || got; });
  CHECK_FALSE(got.has_value());
  all.move_keys(slot, 1, 100);
  all.end_move(slot, 1);
  REQUIRE(cluster.w.run_until([&] { return got.has_value(); }));
  REQUIRE(got->ok());
  CHECK(got->value.elements[0].text == "b 2");
  CHECK(cluster.losses == 0);
  all.move_slot(slot, 0);
}

TEST_CASE("Redis Cluster: without a node that answers, or with a wrong one, the fault names each with its reason") {
  auto& all = nodes();
  all.await_ready();
  auto const nowhere = "127.0.0.1:" + std::to_string(test::free_port());
  test::private_redis const plain({.tcp = true});
  auto where = as_user({nowhere});
  std::string wanted = nowhere + ": connect: Connection refused";
  SUBCASE("nobody there") {}
  SUBCASE("password") {
    where = as_user({all.address(0), nowhere});
    where.password = secret_string("s3cret");
    wanted = all.address(0) + ": AUTH: WRONGPASS";
  }
  SUBCASE("CA") {
    where = as_user({all.address(0)});
    where.tls_ca_file.clear();
    wanted = ": tls: self-signed certificate";
  }
  SUBCASE("no Cluster") {
    where = as_user({"127.0.0.1:" + plain.port()});
    where.tls = false;
    where.username.clear();
    where.password = {};
    wanted = "ERR This instance has cluster support disabled";
  }
  clustered cluster(where);
  REQUIRE(cluster.w.run_until([&] { return !cluster.redis.last_fault().empty(); }));
  auto const fault = cluster.redis.last_fault();
  CHECK_MESSAGE(fault.starts_with("no node names the masters: "), fault);
  CHECK_MESSAGE(fault.find(wanted) != std::string::npos, fault);
  CHECK(fault.find("s3cret") == std::string::npos);
  CHECK(cluster.ask({"GET", "svc:x"}) == "unsent");
  CHECK(cluster.w.changes.empty());
}
