// Three masters with their replicas: what a subscriber hears when something has gone wrong.
#include "integration/redis/cluster_fixture.hpp"
#include "support/temporary_directory.hpp"

#include <filesystem>

using namespace svc;
using namespace svc::redis;

TEST_CASE("Redis Cluster: a subscriber needs the file with the CA no more once it is made") {
  auto& all = nodes();
  all.await_ready();
  test::temporary_directory const files;
  auto where = as_user({all.address(0)});
  where.tls_ca_file = files.path() + "/ca";
  std::filesystem::copy_file(all.authority(), where.tls_ca_file);
  worker w;
  heard_news heard;
  subscriber subscription(w.io, where, heard);
  std::filesystem::remove(where.tls_ca_file);
  subscription.start();
  auto const channel = "svc:{" + tag_on(1, "authority") + "}:news";
  subscription.subscribe(channel);
  CHECK(w.run_until([&] { return heard.subscribed[channel] == 1; }));
  CHECK(subscription.connected());
}

TEST_CASE("Redis Cluster: a master loses all its slots and gets them back: messages of its channels arrive again") {
  // Its nodes are its own: they are left without agreement on a slot.
  redis_cluster all({.replicas = false});
  auto const spare = all.spare();
  auto const slot = std::stoi(all.node(0).ask({"CLUSTER", "KEYSLOT", "{returns}"}));
  std::string const channel = "svc:{returns}:news";
  auto where = patient("redis://127.0.0.1");
  where.cluster = {*parse_address(all.address(0))};
  auto const everywhere = [&](words const& command) {
    for (std::size_t i = 0; i < all.size(); ++i) all.node(i).ask({command.begin(), command.end()});
  };
  all.move_slot(slot, spare);
  worker w;
  heard_news heard;
  subscriber subscription(w.io, where, heard);
  subscription.start();
  subscription.subscribe(channel);
  REQUIRE(w.run_until([&] { return heard.subscribed[channel] == 1; }));

  // A view in which a slot has no master counts, so that the ear leaves the spare.
  everywhere({"CONFIG", "SET", "cluster-require-full-coverage", "no"});
  auto const number = std::to_string(slot);
  REQUIRE(w.run_until([&] {
    everywhere({"CLUSTER", "DELSLOTS", number});
    return !subscription.connected();
  }));
  all.node(spare).ask({"CLUSTER", "ADDSLOTS", number});
  REQUIRE(w.run_until([&] { return heard.subscribed[channel] == 2; }));
  CHECK(w.run_until([&] { return subscription.connected(); }));
  all.node(spare).ask({"SPUBLISH", channel, "again"});
  CHECK(w.run_until([&] { return heard.last[channel] == "again"; }));
}

TEST_CASE("Redis Cluster: a channel left and wanted again at once is subscribed once more, and no slot has moved") {
  auto& all = nodes();
  all.await_ready();
  auto const channel = "svc:{" + tag_on(1, "hasty") + "}:news";
  worker w;
  heard_news heard;
  subscriber subscription(w.io, as_user({all.address(0)}), heard);
  subscription.start();
  subscription.subscribe(channel);
  REQUIRE(w.run_until([&] { return heard.subscribed[channel] == 1; }));
  subscription.unsubscribe(channel);
  subscription.subscribe(channel);
  REQUIRE(w.run_until([&] { return heard.subscribed[channel] == 2; }));
  CHECK(subscription.connected());
  // A further one would be made once the Cluster has been looked at.
  auto const later = deadline::after(500ms);
  w.run_until([&] { return later.passed(); });
  CHECK(heard.subscribed[channel] == 2);
}

TEST_CASE(
    "Redis Cluster: a user who may not subscribe: the subscriber retries slowly, and works once the right is given") {
  auto& all = nodes();
  all.await_ready();
  auto const channel = "svc:{" + tag_on(1, "forbidden") + "}:news";
  auto rules = cluster_user();
  REQUIRE(std::erase(rules, "+ssubscribe") == 1);
  all.set_user(rules);
  worker w;
  heard_news heard;
  subscriber subscription(w.io, as_user({all.address(0)}), heard);
  subscription.start();
  subscription.subscribe(channel);
  auto const refused = [&] {
    auto const said = all.node(1).ask({"INFO", "commandstats"});
    auto const first = said.find("cmdstat_ssubscribe:");
    auto const count = said.find("rejected_calls=", first);
    return first == std::string::npos ? 0 : std::stoi(said.substr(count + 15));
  };
  auto const before = refused();
  REQUIRE(w.run_until([&] { return refused() > before; }));
  auto const later = deadline::after(3s);
  w.run_until([&] { return later.passed(); });
  // The pause is half a second by then.
  CHECK(refused() - before < 15);
  all.set_user(cluster_user());
  CHECK(w.run_until([&] { return heard.subscribed[channel] == 1; }));
  for (std::size_t i = 0; i < all.size(); ++i) all.node(i).ask({"ACL", "LOG", "RESET"});
}
