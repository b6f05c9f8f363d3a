#include "integration/redis/fixture.hpp"
#include "support/free_port.hpp"
#include "support/sentinel_group.hpp"
#include "svc/redis/primary_locator.hpp"
#include "svc/redis/subscriber.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

using namespace svc;
using namespace svc::redis;
using svc::test::private_redis;
using svc::test::sentinel_group;

namespace {

/// Over TLS, with the users of docs/operating.md. Tests leave it as they found it.
sentinel_group& group() {
  static sentinel_group shared({.tls = true});
  static bool const prepared = [] {
    shared.await_ready();
    shared.set_server_user(test::documented_acl("svcd", "server-secret"));
    shared.set_sentinel_user(test::documented_acl("svcd-sentinel", "sentinel-secret"));
    return true;
  }();
  static_cast<void>(prepared);
  return shared;
}

sentinel_settings asking(std::vector<std::string> const& sentinels) {
  sentinel_settings settings{.master = sentinel_group::name,
                             .username = "svcd-sentinel",
                             .password = secret_string("sentinel-secret"),
                             .tls = true,
                             .tls_ca_file = group().authority(),
                             .deadline = 2s};
  for (auto const& text : sentinels) settings.sentinels.push_back(*parse_address(text));
  return settings;
}

settings server_user() {
  auto where = patient("redis://127.0.0.1");
  where.username = "svcd";
  where.password = secret_string("server-secret");
  where.tls = true;
  where.tls_ca_file = group().authority();
  return where;
}

/// Counts the notifications of a subscriber.
struct heard_messages final : subscriber::listener {
  void on_message(std::string_view, std::string_view payload) override { last = payload; }
  void on_subscribed(std::string_view) override { ++subscribed; }

  int subscribed = 0;
  std::string last{};
};

/// A locator, and a client that uses it.
struct located {
  explicit located(sentinel_settings sentinels, settings where = server_user()) : server(std::move(where)) {
    server.through = std::make_shared<primary_locator>(w.io, std::move(sentinels), server);
    redis.emplace(w.io, server, std::vector<script const*>{}, w.listener());
    redis->on_loss([this] { ++losses; });
    server.through->start();
    redis->start();
  }

  bool connects(steady::duration within = 15s) { return w.run(redis->wait_connected(deadline::after(within))); }
  /// The port of the server that the client is connected to, as the server knows it.
  bool talks_to(private_redis const& entry) {
    if (text(w.ask(*redis, {"SET", "svc:who", "x", "PX", "60000"})) != "OK") return false;
    return entry.ask({"ROLE"}).starts_with("master") && entry.ask({"GET", "svc:who"}) == "x";
  }

  worker w;
  settings server;
  std::optional<client> redis;
  int losses = 0;
};

/// Accepts, and says the same to everyone.
class babbler {
 public:
  babbler(asio::io_context& io, std::string says)
      : acceptor_(io, {asio::ip::address_v4::loopback(), 0}), says_(std::move(says)) {
    asio::co_spawn(io, accept(), asio::detached);
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()); }
  int met() const { return met_; }

 private:
  task<> accept() {
    for (;;) {
      auto [ec, peer] = co_await acceptor_.async_accept(awaiting);
      if (ec) co_return;
      ++met_;
      peer.write_some(asio::buffer(says_), ec);
      peers_.push_back(std::move(peer));
    }
  }

  using socket = asio::basic_stream_socket<asio::ip::tcp, executor>;
  asio::basic_socket_acceptor<asio::ip::tcp, executor> acceptor_;
  std::string says_;
  std::vector<socket> peers_{};
  int met_ = 0;
};

std::string nowhere() {
  return "127.0.0.1:" + std::to_string(test::free_port());
}

}  // namespace

TEST_CASE("the documented user of Redis has the rights that the scripts and the service need, and no others") {
  // Besides scripts: connections, subscriptions, and what is asked without a script.
  std::set<std::string> needed{"+ping",    "+role",      "+info",        "+client|setname", "+select", "+script|load",
                               "+evalsha", "+subscribe", "+unsubscribe", "+mget",           "+xrange"};
  std::regex const call(R"(redis\.p?call\('([A-Z]+)')");
  for (auto const& file : std::filesystem::directory_iterator(SVC_SCHEMA_DIRECTORY "/../redis")) {
    std::ifstream input(file.path());
    std::string const body{std::istreambuf_iterator<char>(input), {}};
    for (std::sregex_iterator found(body.begin(), body.end(), call), end; found != end; ++found) {
      auto name = "+" + (*found)[1].str();
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      needed.insert(name);
    }
  }
  auto const allowed = [](bool in_cluster) {
    std::set<std::string> out;
    for (auto const& rule : test::documented_acl("svcd", "x", in_cluster))
      if (rule.starts_with('+')) out.insert(rule);
    return out;
  };
  CHECK(allowed(false) == needed);
  // LREM takes a place back in the window of a key when the project's window, which lies in another slot, is full.
  needed.insert({"+lrem", "+asking", "+cluster|info", "+cluster|slots", "+spublish", "+ssubscribe", "+sunsubscribe"});
  CHECK(allowed(true) == needed);
}

TEST_CASE("a failover is noticed at once, and all connections follow to the new primary") {
  auto& servers = group();
  servers.await_ready();
  located location(asking(servers.sentinel_addresses()));
  heard_messages heard;
  subscriber subscription(location.w.io, location.server, heard);
  subscription.start();
  subscription.subscribe("svc:news");
  REQUIRE(location.connects());
  REQUIRE(location.w.run_until([&] { return heard.subscribed == 1; }));
  auto const before = servers.primary(), after = 1 - before;
  CHECK(location.talks_to(servers.server(before)));
  auto const lost = location.losses;

  auto const switches = servers.switches();
  CHECK(servers.sentinel(0).ask({"SENTINEL", "FAILOVER", sentinel_group::name}) == "OK");
  for (auto const until = deadline::after(sentinel_group::patience);
       servers.switches() == switches && !until.passed();)
    location.w.io.run_for(5ms);
  REQUIRE(servers.switches() > switches);
  auto const switched = steady::now();
  REQUIRE(location.w.run_until(
      [&] { return location.losses > lost && location.redis->connected() && heard.subscribed == 2; }));
  auto const took = steady::now() - switched;
  CHECK(took < 2s);
  CHECK(location.talks_to(servers.server(after)));
  servers.server(after).ask({"PUBLISH", "svc:news", "here"});
  CHECK(location.w.run_until([&] { return heard.last == "here"; }));
  MESSAGE("connected " << std::chrono::duration_cast<milliseconds>(took).count() << " ms after the switch");

  // The former primary still is one: the sentinels make it a replica seconds later.
  CHECK(servers.server(before).ask({"ROLE"}).starts_with("master"));
  servers.rejoin(before);
  servers.await_ready();
  for (std::size_t i = 0; i < sentinel_group::servers; ++i) CHECK(servers.server(i).ask({"ACL", "LOG"}) == "");
  for (std::size_t i = 0; i < sentinel_group::sentinels; ++i) CHECK(servers.sentinel(i).ask({"ACL", "LOG"}) == "");
}

TEST_CASE(
    "a sentinel that is gone, frozen, or says something else delays the search, and is asked last from then on") {
  auto& servers = group();
  servers.await_ready();
  servers.sentinel(1).freeze();
  worker w;
  std::vector<std::unique_ptr<babbler>> babblers;
  for (std::string const says : {"HTTP/1.1 400 Bad Request\r\n\r\n", "*2\r\n$1000000\r\n"})
    babblers.push_back(std::make_unique<babbler>(w.io, says));
  auto settings = asking({nowhere(), servers.address(servers.sentinel(1)), babblers[0]->address(),
                          babblers[1]->address(), servers.address(servers.sentinel(2))});
  settings.deadline = 1s;
  auto server = server_user();
  server.through = std::make_shared<primary_locator>(w.io, settings, server);
  client redis(w.io, server, {});
  server.through->start();
  w.connect(redis);
  CHECK(text(w.ask(redis, {"PING"})) == "PONG");

  // The one that answered is asked first now: no deadline of another passes.
  auto const reconnects = redis.stats().reconnects;
  auto const start = steady::now();
  redis.reconnect();
  REQUIRE(w.run_until([&] { return redis.stats().reconnects > reconnects; }));
  CHECK(steady::now() - start < 1s);
  servers.sentinel(1).thaw();
  redis.stop();
  server.through->stop();
}

TEST_CASE("a locator and its client that stop leave their loop no work") {
  auto& servers = group();
  servers.await_ready();
  located place(asking({servers.address(servers.sentinel(0)), servers.address(servers.sentinel(1))}));
  REQUIRE(place.connects());
  place.redis->stop();
  place.server.through->stop();
  place.w.io.restart();
  place.w.io.run_for(10s);
  CHECK(place.w.io.stopped());
}

TEST_CASE("a sentinel that names a replica: it is not taken, others are asked, and good connections stay") {
  auto& servers = group();
  servers.await_ready();
  auto const liar = servers.liar();
  auto const primary = servers.primary();
  liar->ask({"ACL", "SETUSER", "svcd-sentinel", "on", ">sentinel-secret", "allchannels", "+@all"});
  SUBCASE("others know better") {
    located location(asking({servers.address(*liar), servers.address(servers.sentinel(2))}));
    REQUIRE(location.connects());
    CHECK(location.talks_to(servers.server(primary)));
    CHECK(location.losses == 0);
  }
  SUBCASE("nobody does") {
    located location(asking({servers.address(*liar)}));
    REQUIRE(location.w.run_until(
        [&] { return location.redis->last_fault().find("the server is a replica") != std::string::npos; }));
    CHECK_FALSE(location.redis->connected());
    CHECK(location.w.changes.empty());
  }
}

TEST_CASE("announcements that are wrong, unreadable or many: good connections stay") {
  auto& servers = group();
  servers.await_ready();
  // It answers no question of a sentinel's, but whoever subscribes there hears what is published.
  auto const gossip = servers.another_server();
  gossip->ask({"ACL", "SETUSER", "svcd-sentinel", "on", ">sentinel-secret", "allchannels", "+@all"});
  auto const announce = [&](std::string const& subject) {
    return gossip->ask({"PUBLISH", "+switch-master", subject});
  };
  auto const switched_to = [&](std::string const& port) {
    return std::string(sentinel_group::name) + " 127.0.0.1 1 127.0.0.1 " + port;
  };
  located location(asking({servers.address(*gossip), servers.address(servers.sentinel(2))}));
  REQUIRE(location.connects());
  REQUIRE(location.w.run_until([&] { return announce("nonsense") == "1"; }));
  auto const& replica = servers.server(servers.replica());
  auto const connections = [&] {
    auto const said = replica.ask({"INFO", "stats"});
    return std::stoll(said.substr(said.find("total_connections_received:") + 27));
  };
  auto const before = connections();
  announce(switched_to(replica.tls_port()));
  long long questions = 0;  // of this test, each of which is a connection too
  REQUIRE(location.w.run_until([&] {
    ++questions;
    return connections() > before + questions;
  }));
  for (int i = 0; i < 200; ++i) announce(switched_to(std::to_string(1 + i % 2)));
  for (int i = 0; i < 50; ++i) CHECK(text(location.w.ask(*location.redis, {"PING"})) == "PONG");
  location.w.io.run_for(300ms);
  CHECK(text(location.w.ask(*location.redis, {"PING"})) == "PONG");
  CHECK(location.losses == 0);
}

TEST_CASE("without a sentinel the fault names each with its reason, no secret, and the first that is back is used") {
  auto& servers = group();
  servers.await_ready();
  servers.sentinel(0).kill();
  located location(asking({servers.address(servers.sentinel(0)), nowhere()}));
  REQUIRE(location.w.run_until([&] { return location.losses > 2; }));
  auto const fault = location.redis->last_fault();
  CHECK_MESSAGE(fault.starts_with("no primary found: "), fault);
  for (auto const& part : {servers.address(servers.sentinel(0)), std::string("connect: Connection refused"),
                           std::string("; 127.0.0.1:")})
    CHECK_MESSAGE(fault.find(part) != std::string::npos, fault);
  CHECK(text(location.w.ask(*location.redis, {"PING"})) == "unsent");
  CHECK(location.w.changes.empty());
  servers.sentinel(0).start();
  servers.set_sentinel_user(test::documented_acl("svcd-sentinel", "sentinel-secret"));
  REQUIRE(location.connects());
  CHECK(location.w.changes == std::vector<bool>{true});
}

TEST_CASE("a name that no sentinel knows, and a wrong password, are said so") {
  auto& servers = group();
  servers.await_ready();
  auto settings = asking({servers.address(servers.sentinel(2))});
  auto where = server_user();
  std::string wanted;
  SUBCASE("name") {
    settings.master = "other";
    wanted = " knows no master of that name";
  }
  SUBCASE("password of the sentinels") {
    settings.password = secret_string("s3cret");
    wanted = "AUTH: WRONGPASS";
  }
  SUBCASE("password of the server") {
    where.password = secret_string("s3cret");
    wanted = "AUTH: WRONGPASS";
  }
  SUBCASE("CA") {
    settings.tls_ca_file.clear();
    wanted = ": tls: self-signed certificate";
  }
  located location(settings, where);
  REQUIRE(location.w.run_until([&] { return !location.redis->last_fault().empty(); }));
  CHECK_MESSAGE(location.redis->last_fault().find(wanted) != std::string::npos, location.redis->last_fault());
  CHECK(location.redis->last_fault().find("s3cret") == std::string::npos);
}
