// Three masters with their replicas: where commands go, also while slots move.
#include "integration/redis/cluster_fixture.hpp"
#include "support/free_port.hpp"

#include <algorithm>

using namespace svc;
using namespace svc::redis;

TEST_CASE("Redis Cluster: each command goes to the master of its slot, given one node, over TLS, with little ACL") {
  auto& all = nodes();
  all.await_ready();
  clustered one;
  REQUIRE(one.connects());
  for (std::size_t i = 0; i < redis_cluster::masters; ++i) {
    auto const tag = tag_on(i, "place");
    CHECK(one.ask({"SET", "svc:{" + tag + "}:x", "v" + tag, "PX", "60000"}) == "OK");
    CHECK(all.node(i).ask({"GET", "svc:{" + tag + "}:x"}) == "v" + tag);
    CHECK(one.count(tag, "first") == "first 1");
  }
  auto const tags = one.redis.tags();
  REQUIRE(tags.size() == redis_cluster::masters);
  std::vector<std::size_t> reached;
  for (auto const& tag : tags) {
    auto const key = "svc:probe" + tag;
    CHECK(text(one.w.run(one.redis.command_at(tag, words{"SET", key, "1", "PX", "10000"}, deadline::after(5s)))) ==
          "OK");
    reached.push_back(all.owner(key));
  }
  std::sort(reached.begin(), reached.end());
  CHECK(std::adjacent_find(reached.begin(), reached.end()) == reached.end());

  auto const read = one.w.run(
      one.redis.read_all({"svc:{" + tag_on(0, "place") + "}:x", "svc:nothing", "svc:{" + tag_on(2, "place") + "}:x"},
                         deadline::after(5s)));
  REQUIRE(read.value.elements.size() == 3);
  CHECK(read.value.elements[0].text == "v" + tag_on(0, "place"));
  CHECK(read.value.elements[1].is_nil());
  CHECK(read.value.elements[2].text == "v" + tag_on(2, "place"));
  CHECK(one.losses == 0);
  CHECK(one.w.changes == std::vector<bool>{true});
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all.node(i).ask({"ACL", "LOG"}) == "");
}

TEST_CASE("Redis Cluster: calls of one turn are one EVALSHA for each slot, one write for each master") {
  auto& all = nodes();
  all.await_ready();
  clustered one;
  REQUIRE(one.connects());
  script_batch batch(one.redis, count_two);
  // Four subjects, each twice, on three masters.
  std::vector<std::string> tags{tag_on(0, "batch"), tag_on(1, "batch"), tag_on(2, "batch"), tag_on(0, "other")};
  std::vector<std::array<std::string, 2>> keys;
  for (int i = 0; i < 8; ++i) {
    auto const& tag = tags[static_cast<std::size_t>(i) % 4];
    keys.push_back({"svc:{" + tag + "}:batch", "svc:{" + tag + "}:epoch"});
  }
  std::vector<std::optional<outcome>> got(keys.size());
  auto const commands = one.redis.stats().commands, writes = one.redis.stats().writes;
  auto const call = [](script_batch& in, std::array<std::string, 2> at, std::string mine,
                       std::optional<outcome>& into) -> task<> {
    std::string_view const views[] = {at[0], at[1]}, arguments[] = {mine};
    into = co_await in.evaluate(views, arguments, deadline::after(5s));
  };
  for (std::size_t i = 0; i < keys.size(); ++i)
    asio::co_spawn(one.w.io, call(batch, keys[i], std::to_string(i), got[i]), asio::detached);
  REQUIRE(one.w.run_until(
      [&] { return std::all_of(got.begin(), got.end(), [](auto const& g) { return g.has_value(); }); }));
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(text(*got[i]) == std::to_string(i) + (i < 4 ? " 1" : " 2"));
  // A look at the Cluster, of two commands, may come between, also in part.
  auto const sent = one.redis.stats().commands - commands, written = one.redis.stats().writes - writes;
  CHECK_MESSAGE((sent >= 4 && sent <= 6), sent);
  CHECK(written >= 3);
  CHECK(written <= 5);
}

TEST_CASE("Redis Cluster: a slot moves to a master without slots, and back, under the client's feet") {
  auto& all = nodes();
  all.await_ready();
  clustered one;
  REQUIRE(one.connects());
  auto const here = tag_on(1, "moves");
  auto const slot = slot_number_of("{" + here + "}");
  CHECK(one.count(here, "a") == "a 1");
  all.ask("{" + here + "}", {"SET", "svc:{" + here + "}:epoch", "1"});
  for (auto const to : {all.spare(), std::size_t{1}}) {
    CAPTURE(to);
    auto const before = std::stoi(one.count(here, "x").substr(2));
    all.begin_move(slot, to);
    // The keys are at the source; a new key belongs to the target.
    CHECK(one.count(here, "b") == "b " + std::to_string(before + 1));
    auto const fresh = "svc:{" + here + "}:new" + std::to_string(to);
    CHECK(one.ask({"SET", fresh, "1", "PX", "60000"}) == "OK");
    CHECK(all.node(to).ask({"CLUSTER", "COUNTKEYSINSLOT", std::to_string(slot)}) == "1");
    // One of two keys is here, one there: nobody can run it until the move ends.
    CHECK(all.move_keys(slot, to, 1) == 1);
    auto const torn = one.count(here, "c", 1s);
    CHECK_MESSAGE(torn.starts_with("-TRYAGAIN"), torn);
    all.move_keys(slot, to, 100);
    CHECK(one.count(here, "d") == "d " + std::to_string(before + 2));
    all.end_move(slot, to);
    CHECK(one.count(here, "e") == "e " + std::to_string(before + 3));
    // A master without slots is left as soon as that is known, perhaps before it has answered.
    auto kept = one.ask({"GET", fresh});
    for (int again = 0; again < 5 && (kept == "missed" || kept == "unsent"); ++again) {
      REQUIRE(one.connects());
      kept = one.ask({"GET", fresh});
    }
    CHECK(kept == "1");
    CHECK(all.owner("{" + here + "}") == to);
  }
  // No master has gone while it had slots in the map, but the last move took the spare's only one.
  CHECK(one.losses <= 1);
  // The loss of the spare may be noticed only now.
  std::string last;
  for (int again = 0; again < 5 && !last.starts_with("f "); ++again) {
    REQUIRE(one.connects());
    last = one.count(here, "f");
  }
  CHECK_MESSAGE(last.starts_with("f "), last);
  CHECK(one.ask({"SET", "svc:{" + here + "}:new1", "1", "PX", "1"}) == "OK");
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all.node(i).ask({"ACL", "LOG"}) == "");
}

TEST_CASE("Redis Cluster: what is waiting while its slot's keys are torn apart is answered when they are together") {
  auto& all = nodes();
  all.await_ready();
  clustered one;
  REQUIRE(one.connects());
  auto const here = tag_on(0, "torn");
  auto const slot = slot_number_of("{" + here + "}");
  CHECK(one.count(here, "a") == "a 1");
  all.ask("{" + here + "}", {"SET", "svc:{" + here + "}:epoch", "1"});
  all.begin_move(slot, 1);
  all.move_keys(slot, 1, 1);
  std::optional<outcome> got;
  auto const call = [](client& by, std::string tag, std::optional<outcome>& into) -> task<> {
    auto const log = "svc:{" + tag + "}:log", epoch = "svc:{" + tag + "}:epoch";
    std::string_view const keys[] = {log, epoch}, arguments[] = {"b"};
    into = co_await by.evaluate(count_two, keys, arguments, deadline::after(8s));
  };
  asio::co_spawn(one.w.io, call(one.redis, here, got), asio::detached);
  auto const later = deadline::after(100ms);
  one.w.run_until([&] { return later.passed() || got; });
  CHECK_FALSE(got.has_value());
  all.move_keys(slot, 1, 100);
  all.end_move(slot, 1);
  REQUIRE(one.w.run_until([&] { return got.has_value(); }));
  REQUIRE(got->ok());
  CHECK(got->value.elements[0].text == "b 2");
  CHECK(one.losses == 0);
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
  clustered one(where);
  REQUIRE(one.w.run_until([&] { return !one.redis.last_fault().empty(); }));
  auto const fault = one.redis.last_fault();
  CHECK_MESSAGE(fault.starts_with("no node names the masters: "), fault);
  CHECK_MESSAGE(fault.find(wanted) != std::string::npos, fault);
  CHECK(fault.find("s3cret") == std::string::npos);
  CHECK(one.ask({"GET", "svc:x"}) == "unsent");
  CHECK(one.w.changes.empty());
}
