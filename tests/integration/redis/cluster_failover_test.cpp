// Tests three masters with their replicas: the loss of a master, and the messages that a subscriber receives.
#include "integration/redis/cluster_fixture.hpp"

using namespace svc;
using namespace svc::redis;

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
    where.command_deadline = 2s;
    clustered cluster(where);
    heard_news heard;
    subscriber subscription(cluster.w.io, where, heard);
    subscription.start();
    subscription.subscribe("svc:{a}:news");
    subscription.subscribe("svc:plain");
    REQUIRE(cluster.connects());
    REQUIRE(cluster.w.run_until(
        [&] { return heard.subscribed["svc:{a}:news"] == 1 && heard.subscribed["svc:plain"] == 1; }));
    CHECK(cluster.count("a", "x").starts_with("x "));

    frozen ? all.node(former).freeze() : all.node(former).kill();
    auto const start = steady::now();
    REQUIRE(cluster.w.run_until([&] {
      cluster.count("a", "lost", 50ms);
      return cluster.losses > 0;
    }));
    auto const noticed = steady::now() - start;
    CHECK_FALSE(cluster.redis.connected());
    CHECK(noticed < 2s);
    // The other masters serve their slots.
    CHECK(cluster.count("b", "x").starts_with("x "));
    REQUIRE(cluster.w.run_until([&] { return all.owner("{a}") != former; }));
    auto const switched = steady::now();
    REQUIRE(cluster.connects());
    auto const took = steady::now() - switched;
    CHECK(took < 2s);
    CHECK(cluster.count("a", "x").starts_with("x "));
    REQUIRE(cluster.w.run_until([&] {
      all.node(all.owner("{a}")).ask({"SPUBLISH", "svc:{a}:news", "here"});
      all.node(other).ask({"PUBLISH", "svc:plain", "there"});
      return heard.last["svc:{a}:news"] == "here" && heard.last["svc:plain"] == "there";
    }));
    MESSAGE((frozen ? "frozen" : "killed")
            << ": lost after " << std::chrono::duration_cast<milliseconds>(noticed).count() << " ms, failover "
            << std::chrono::duration_cast<milliseconds>(switched - start).count() << " ms, connected again "
            << std::chrono::duration_cast<milliseconds>(took).count() << " ms later");
    auto const losses = cluster.losses;
    if (frozen) {
      all.node(former).thaw();
    } else {
      all.node(former).start();
      all.set_user(cluster_user());
    }
    // The former master returns as a replica, and nobody notices.
    all.await_ready();
    CHECK(cluster.count("a", "x").starts_with("x "));
    CHECK(cluster.losses == losses);
    CHECK(cluster.redis.connected());
  }
}

TEST_CASE("Redis Cluster: a failover by hand, the former master answers all the time: its data counts as lost") {
  auto& all = nodes();
  all.await_ready();
  auto const former = all.owner("{a}");
  auto const next = all.replicas_of(former).at(0);
  clustered cluster;
  REQUIRE(cluster.connects());
  SUBCASE("while commands ask for it") {
    // The new master lacks the last increments: it would count backwards.
    all.stop_replication();
    int last = 0;
    for (int i = 0; i < 5; ++i) last = std::stoi(cluster.count("a", "x").substr(2));
    all.node(next).ask({"CLUSTER", "FAILOVER", "TAKEOVER"});
    REQUIRE(cluster.w.run_until([&] {
      auto const said = cluster.count("a", "x", 50ms);
      if (cluster.losses == 0 && said.starts_with("x ")) {
        CHECK(std::stoi(said.substr(2)) > last);
        last = std::stoi(said.substr(2));
      }
      return cluster.losses > 0;
    }));
    all.resume_replication();
  }
  SUBCASE("without a command") {
    all.node(next).ask({"CLUSTER", "FAILOVER", "TAKEOVER"});
    auto const start = steady::now();
    REQUIRE(cluster.w.run_until([&] { return cluster.losses > 0; }));
    CHECK(steady::now() - start < 4s);
  }
  REQUIRE(cluster.connects());
  CHECK(cluster.count("a", "x").starts_with("x "));
  all.await_ready();
}

TEST_CASE("Redis Cluster: messages of sharded and plain channels arrive, before and after their slot has moved") {
  auto& all = nodes();
  all.await_ready();
  auto const tag = tag_on(1, "news");
  auto const slot = slot_number_of("{" + tag + "}");
  auto const sharded = "svc:{" + tag + "}:news";
  worker w;
  heard_news heard;
  subscriber subscription(w.io, as_user({all.address(2)}), heard);
  subscription.start();
  subscription.subscribe(sharded);
  subscription.subscribe("svc:raised");
  REQUIRE(w.run_until([&] {
    return subscription.connected() && heard.subscribed[sharded] == 1 && heard.subscribed["svc:raised"] == 1;
  }));
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
  subscription.unsubscribe(sharded);
  // A message may still arrive until the server knows of the change.
  REQUIRE(w.run_until([&] { return text(w.ask(speaker, {"SPUBLISH", sharded, "four"})) == "0"; }));
  CHECK(text(w.ask(speaker, {"SPUBLISH", sharded, "five"})) == "0");
  CHECK(heard.last[sharded] != "five");
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all.node(i).ask({"ACL", "LOG"}) == "");
}
