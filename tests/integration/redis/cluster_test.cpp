// Three masters with their replicas: where commands go, and what happens when slots or masters do.
#include "integration/redis/fixture.hpp"
#include "support/free_port.hpp"
#include "support/redis_cluster.hpp"
#include "support/sentinel_group.hpp"
#include "svc/redis/subscriber.hpp"

#include <algorithm>
#include <map>

using namespace svc;
using namespace svc::redis;
using svc::test::redis_cluster;

namespace {

// As admit does it: two keys a call, which share a slot; says how often the first was counted.
script const count_two("count_two", R"(
local replies = {}
for i = 1, #KEYS / 2 do
  redis.call('GET', KEYS[2 * i])
  replies[i] = ARGV[i] .. ' ' .. redis.call('INCR', KEYS[2 * i - 1])
end
return replies
)");

/// Over TLS, with the user of docs/operating.md. Tests leave it with three masters, each with a replica.
redis_cluster& nodes() {
  static redis_cluster shared({.tls = true});
  static bool const prepared = [] {
    auto rules = test::documented_acl("svcd", "server-secret", true);
    rules.insert(rules.end(), {"+incr", "+echo", "+debug"});
    shared.set_user(rules);
    return true;
  }();
  static_cast<void>(prepared);
  return shared;
}

settings as_user(std::vector<std::string> const& some) {
  auto where = patient("redis://127.0.0.1");
  for (auto const& one : some) where.cluster.push_back(*parse_address(one));
  where.username = "svcd";
  where.password = secret_string("server-secret");
  where.tls = true;
  where.tls_ca_file = nodes().authority();
  return where;
}

struct clustered {
  explicit clustered(settings how = as_user({nodes().address(0)})) : where(std::move(how)) {
    redis.on_loss([this] { ++losses; });
    redis.start();
  }
  bool connects(steady::duration within = 20s) { return w.run(redis.wait_connected(deadline::after(within))); }
  std::string ask(words const& command) { return text(w.ask(redis, command)); }
  std::string count(std::string const& tag, std::string const& argument, steady::duration limit = 10s) {
    auto const log = "svc:{" + tag + "}:log", epoch = "svc:{" + tag + "}:epoch";
    std::string_view const keys[] = {log, epoch}, arguments[] = {argument};
    auto const got = w.run(redis.evaluate(count_two, keys, arguments, deadline::after(limit)));
    return got.value.kind == reply::type::array ? got.value.elements.at(0).text : text(got);
  }

  worker w;
  settings where;
  client redis{w.io, where, {&count_two}, w.listener()};
  int losses = 0;
};

/// A tag whose keys lie on that node.
std::string tag_on(std::size_t node, std::string const& name) {
  for (int i = 0; i < 1000; ++i)
    if (auto const tag = name + std::to_string(i); nodes().owner("{" + tag + "}") == node) return tag;
  throw std::runtime_error("no tag on that node");
}

int slot_number_of(std::string const& key) {
  return std::stoi(nodes().node(0).ask({"CLUSTER", "KEYSLOT", key}));
}

struct heard_news final : subscriber::listener {
  void on_message(std::string_view channel, std::string_view payload) override {
    last[std::string(channel)] = payload;
  }
  void on_subscribed(std::string_view channel) override { ++subscribed[std::string(channel)]; }

  std::map<std::string, std::string> last{};
  std::map<std::string, int> subscribed{};
};

}  // namespace

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
  CHECK(one.redis.stats().commands - commands == 4);
  CHECK(one.redis.stats().writes - writes == 3);
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
    auto const torn = one.count(here, "c", 100ms);
    CHECK_MESSAGE(torn.starts_with("-TRYAGAIN"), torn);
    all.move_keys(slot, to, 100);
    CHECK(one.count(here, "d") == "d " + std::to_string(before + 2));
    all.end_move(slot, to);
    CHECK(one.count(here, "e") == "e " + std::to_string(before + 3));
    CHECK(one.ask({"GET", fresh}) == "1");
    CHECK(all.owner("{" + here + "}") == to);
  }
  // No master has gone while it had slots in the map, but the last move took the spare's only one.
  CHECK(one.losses <= 1);
  REQUIRE(one.connects());
  CHECK(one.count(here, "f").starts_with("f "));
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

TEST_CASE(
    "Redis Cluster: a master is killed or frozen: lost at once, connected again after the failover, never before") {
  auto& all = nodes();
  for (bool const frozen : {false, true}) {
    CAPTURE(frozen);
    all.await_ready();
    auto const former = all.owner("{a}");
    auto const other = all.owner("{b}");
    REQUIRE(former != other);
    auto where = as_user({all.address(0), all.address(all.spare())});
    where.silence_limit = 500ms;
    where.command_deadline = 100ms;
    where.longest_gap = 1s;
    clustered one(where);
    heard_news heard;
    subscriber ear(one.w.io, where, heard);
    ear.start();
    ear.subscribe("svc:{a}:news");
    ear.subscribe("svc:plain");
    REQUIRE(one.connects());
    REQUIRE(
        one.w.run_until([&] { return heard.subscribed["svc:{a}:news"] == 1 && heard.subscribed["svc:plain"] == 1; }));
    CHECK(one.count("a", "x").starts_with("x "));

    frozen ? all.node(former).freeze() : all.node(former).kill();
    auto const start = steady::now();
    REQUIRE(one.w.run_until([&] {
      one.count("a", "lost", 50ms);
      return one.losses > 0;
    }));
    auto const noticed = steady::now() - start;
    CHECK_FALSE(one.redis.connected());
    CHECK(noticed < 2s);
    // The others serve their slots.
    CHECK(one.count("b", "x").starts_with("x "));
    REQUIRE(one.w.run_until([&] { return all.owner("{a}") != former; }));
    auto const switched = steady::now();
    REQUIRE(one.connects());
    auto const took = steady::now() - switched;
    CHECK(took < 2s);
    CHECK(one.count("a", "x").starts_with("x "));
    REQUIRE(one.w.run_until([&] {
      all.node(all.owner("{a}")).ask({"SPUBLISH", "svc:{a}:news", "here"});
      all.node(other).ask({"PUBLISH", "svc:plain", "there"});
      return heard.last["svc:{a}:news"] == "here" && heard.last["svc:plain"] == "there";
    }));
    MESSAGE((frozen ? "frozen" : "killed")
            << ": lost after " << std::chrono::duration_cast<milliseconds>(noticed).count() << " ms, failover "
            << std::chrono::duration_cast<milliseconds>(switched - start).count() << " ms, connected again "
            << std::chrono::duration_cast<milliseconds>(took).count() << " ms later");
    auto const losses = one.losses;
    if (frozen) {
      all.node(former).thaw();
    } else {
      all.node(former).start();
      all.set_user([] {
        auto rules = test::documented_acl("svcd", "server-secret", true);
        rules.insert(rules.end(), {"+incr", "+echo", "+debug"});
        return rules;
      }());
    }
    // It comes back as a replica, and nobody minds.
    all.await_ready();
    CHECK(one.count("a", "x").starts_with("x "));
    CHECK(one.losses == losses);
    CHECK(one.redis.connected());
  }
}

TEST_CASE("Redis Cluster: a failover by hand, the former master answers all the time: its data counts as lost") {
  auto& all = nodes();
  all.await_ready();
  auto const former = all.owner("{a}");
  auto const next = all.replicas_of(former).at(0);
  clustered one;
  REQUIRE(one.connects());
  SUBCASE("while commands ask for it") {
    all.node(next).ask({"CLUSTER", "FAILOVER", "TAKEOVER"});
    REQUIRE(one.w.run_until([&] {
      one.count("a", "x", 50ms);
      return one.losses > 0;
    }));
  }
  SUBCASE("without a command") {
    all.node(next).ask({"CLUSTER", "FAILOVER", "TAKEOVER"});
    auto const start = steady::now();
    REQUIRE(one.w.run_until([&] { return one.losses > 0; }));
    CHECK(steady::now() - start < 4s);
  }
  REQUIRE(one.connects());
  CHECK(one.count("a", "x").starts_with("x "));
  all.await_ready();
}

TEST_CASE("Redis Cluster: sharded and plain channels are heard, before and after their slot has moved") {
  auto& all = nodes();
  all.await_ready();
  auto const tag = tag_on(1, "news");
  auto const slot = slot_number_of("{" + tag + "}");
  auto const sharded = "svc:{" + tag + "}:news";
  worker w;
  heard_news heard;
  subscriber ear(w.io, as_user({all.address(2)}), heard);
  ear.start();
  ear.subscribe(sharded);
  ear.subscribe("svc:raised");
  REQUIRE(w.run_until(
      [&] { return ear.connected() && heard.subscribed[sharded] == 1 && heard.subscribed["svc:raised"] == 1; }));
  client speaker(w.io, as_user({all.address(0)}), {});
  w.connect(speaker);
  CHECK(speaker.publish_word() == "SPUBLISH");
  auto const says = [&](std::string const& word) {
    CHECK(w.ask(speaker, {"SPUBLISH", sharded, word}).ok());
    CHECK(w.ask(speaker, {"PUBLISH", "svc:raised", word}).ok());
    return w.run_until([&] { return heard.last[sharded] == word && heard.last["svc:raised"] == word; });
  };
  CHECK(says("one"));
  all.move_slot(slot, 0);
  REQUIRE(w.run_until([&] { return heard.subscribed[sharded] == 2; }));
  CHECK(says("two"));
  all.move_slot(slot, 1);
  REQUIRE(w.run_until([&] { return heard.subscribed[sharded] == 3; }));
  CHECK(says("three"));
  ear.unsubscribe(sharded);
  REQUIRE(w.run_until([&] { return text(w.ask(speaker, {"SPUBLISH", sharded, "four"})) == "0"; }));
  CHECK(heard.last[sharded] == "three");
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all.node(i).ask({"ACL", "LOG"}) == "");
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
