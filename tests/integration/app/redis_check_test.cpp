// Tests the report of `svcd check-config --connect` about Redis and the mail server, with real ones.
#include "app/configuration/connection_checks.hpp"

#include "support/free_port.hpp"
#include "support/mail_servers.hpp"
#include "support/private_redis.hpp"
#include "support/redis_cluster.hpp"
#include "support/sentinel_group.hpp"
#include "support/throwaway_ca.hpp"
#include "svc/core/joined.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace svc::app {
namespace {

bool mentions(std::vector<std::string> const& all, std::string_view part) {
  return std::ranges::any_of(all, [&](auto const& text) { return text.find(part) != text.npos; });
}

std::string shown(check_findings const& findings) {
  return joined(findings.facts, "\n") + "\n! " + joined(findings.problems, "\n! ");
}

configuration to_redis(test::private_redis const& server, std::string const& user = {}) {
  configuration config;
  config.redis.url = secret_string(server.url());
  if (!user.empty()) {
    config.redis.username = user;
    config.redis.password = secret_string("secret");
  }
  return config;
}

void set_user(test::private_redis const& server, std::vector<std::string> rules) {
  rules.insert(rules.begin(), {"ACL", "SETUSER"});
  REQUIRE(server.ask(rules) == "OK");
}

TEST_CASE("every right that docs/operating.md lists is tried, and no other one") {
  struct {
    char const* user;
    bool in_cluster;
    std::vector<right_scope> scopes;
  } const cases[] = {
      {"svcd", false, {right_scope::server}},
      {"svcd", true, {right_scope::server, right_scope::cluster}},
      {"svcd-sentinel", false, {right_scope::sentinel}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.user);
    std::vector<std::string> documented, tried;
    for (auto const& rule : test::documented_acl(c.user, "secret", c.in_cluster))
      if (rule.starts_with('+') && rule != "+select") documented.push_back(rule);
    for (auto const& right : probed_rights())
      if (std::ranges::find(c.scopes, right.scope) != c.scopes.end()) tried.emplace_back(right.rule);
    std::ranges::sort(documented);
    std::ranges::sort(tried);
    CHECK(joined(tried, " ") == joined(documented, " "));
  }
}

TEST_CASE("the check of Redis names each missing right once, with advice, and leaves no keys") {
  test::private_redis const server;
  set_user(server, test::documented_acl("svcd", "secret"));
  auto const good = check_redis(to_redis(server, "svcd"));
  CAPTURE(shown(good));
  CHECK(good.problems.empty());
  CHECK(mentions(good.facts, "redis.url, " + server.socket() + ": PING is answered, no TLS"));
  CHECK(mentions(good.facts, ": the user svcd has all 34 rights"));
  CHECK(mentions(good.facts, ": a primary"));
  CHECK(mentions(good.facts, ": maxmemory-policy is noeviction"));
  CHECK(server.ask({"DBSIZE"}) == "0");

  for (auto const& right : probed_rights()) {
    // The lack of CLIENT SETNAME is harmless. A login without PING ends before any right can be tried.
    if (right.scope != right_scope::server || right.rule == "+ping") continue;
    CAPTURE(right.rule);
    set_user(server, {"svcd", "-" + std::string(right.rule.substr(1))});
    auto const found = check_redis(to_redis(server, "svcd")).problems;
    CHECK(joined(found, "\n") == "redis.url, " + server.socket() + ": the user svcd lacks " +
                                     std::string(right.rule) + ": ACL SETUSER svcd " + std::string(right.rule));
    set_user(server, {"svcd", std::string(right.rule)});
    server.ask({"DEL", "svc:check"});
  }
  set_user(server, {"svcd", "resetkeys", "resetchannels"});
  auto const paths = check_redis(to_redis(server, "svcd")).problems;
  CAPTURE(joined(paths, "\n"));
  CHECK(mentions(paths, "the user svcd lacks &svc:*, ~svc:*: ACL SETUSER svcd &svc:* ~svc:*"));
  CHECK(paths.size() == 1);
}

TEST_CASE("the check of Redis has advice for a dead port, a wrong password, a replica and a server that evicts") {
  auto const nobody = "127.0.0.1:" + std::to_string(test::free_port());
  configuration dead;
  dead.redis.url = secret_string("redis://" + nobody);
  CHECK(joined(check_redis(dead).problems, "\n") ==
        "redis.url, " + nobody +
            ": not reached: connect: Connection refused: start Redis there, or correct the address");

  test::private_redis const server({.tcp = true, .arguments = {"--maxmemory-policy", "allkeys-lru"}});
  CHECK(mentions(
      check_redis(to_redis(server)).problems,
      "maxmemory-policy is allkeys-lru, so that Redis drops windows and limits are exceeded many times: CONFIG "
      "SET maxmemory-policy noeviction"));
  set_user(server, {"other", "on", ">different", "~*", "&*", "+@all"});
  CHECK(mentions(check_redis(to_redis(server, "other")).problems, "WRONGPASS"));
  CHECK(mentions(check_redis(to_redis(server, "other")).problems, "set the user and the password that ACL LIST"));

  test::private_redis const replica;
  REQUIRE(replica.ask({"REPLICAOF", "127.0.0.1", server.port()}) == "OK");
  CHECK(mentions(check_redis(to_redis(replica)).problems, "a replica, which refuses writes: name the primary"));

  auto output = to_redis(server);
  output.redis.output_url = dead.redis.url;
  CHECK(mentions(check_redis(output).problems, "redis.output_url, " + nobody + ": not reached"));
}

TEST_CASE("the check of Redis asks each sentinel for its rights and the primary it names, and that primary") {
  test::sentinel_group group;
  group.await_ready();
  group.set_server_user(test::documented_acl("svcd", "secret"));
  group.set_sentinel_user(test::documented_acl("svcd-sentinel", "other"));
  configuration config;
  config.redis.mode = "sentinel";
  config.redis.sentinels = group.sentinel_addresses();
  config.redis.sentinel_master = test::sentinel_group::name;
  config.redis.username = "svcd";
  config.redis.password = secret_string("secret");
  config.redis.sentinel_username = "svcd-sentinel";
  config.redis.sentinel_password = secret_string("other");
  auto const primary = group.address(group.server(group.primary()));
  auto const good = check_redis(config);
  CAPTURE(shown(good));
  CHECK(good.problems.empty());
  for (auto const& sentinel : config.redis.sentinels)
    CHECK(mentions(good.facts, "redis.sentinels, " + sentinel + ": names " + primary + " as the primary"));
  CHECK(mentions(good.facts, "redis.sentinel_master, " + primary + ": a primary"));

  group.set_sentinel_user({"svcd-sentinel", "-subscribe"});
  CHECK(mentions(check_redis(config).problems,
                 "the user svcd-sentinel lacks +subscribe: ACL SETUSER svcd-sentinel +subscribe"));
  config.redis.sentinel_master = "other";
  CHECK(mentions(check_redis(config).problems, "knows no primary named other: correct redis.sentinel_master"));
}

TEST_CASE("the check of Redis finds all nodes of a Cluster, and says when one of them misses a right or a slot") {
  test::redis_cluster cluster({.replicas = false});
  cluster.await_ready();
  cluster.set_user(test::documented_acl("svcd", "secret", true));
  configuration config;
  config.redis.mode = "cluster";
  config.redis.nodes = {cluster.address(0)};
  config.redis.username = "svcd";
  config.redis.password = secret_string("secret");
  auto const good = check_redis(config);
  CAPTURE(shown(good));
  CHECK(good.problems.empty());
  for (std::size_t i = 0; i < test::redis_cluster::masters; ++i)
    CHECK(mentions(good.facts, "redis.nodes, " + cluster.address(i) + ": cluster_state is ok"));

  REQUIRE(cluster.node(1).ask({"ACL", "SETUSER", "svcd", "-lrem"}) == "OK");
  CHECK(joined(check_redis(config).problems, "\n") ==
        "redis.nodes, " + cluster.address(1) + ": the user svcd lacks +lrem: ACL SETUSER svcd +lrem");

  test::private_redis const single({.tcp = true});
  configuration wrong;
  wrong.redis.mode = "cluster";
  wrong.redis.nodes = {"127.0.0.1:" + single.port()};
  CHECK(mentions(check_redis(wrong).problems, "is no node of a Redis Cluster: set redis.mode to single"));
}

configuration to_mail(int port, std::string const& tls, std::string const& user = {}) {
  configuration config;
  config.smtp.url = "smtp://127.0.0.1:" + std::to_string(port);
  config.smtp.sender = "svc@mail.test";
  config.smtp.tls = tls;
  config.smtp.username = user;
  config.smtp.password = secret_string("hunter2");
  return config;
}

TEST_CASE("the check of the mail server sends EHLO, starts TLS and logs in, and has advice if one of them fails") {
  test::temporary_directory const dir;
  auto const ca = test::make_throwaway_ca("DNS:localhost,IP:127.0.0.1");
  test::mail_sink const plain, secure({.tls = &ca, .auth = "svc:hunter2"});
  auto const name = [](int port) { return "smtp.url, smtp://127.0.0.1:" + std::to_string(port) + ": "; };
  CHECK(check_mail_server(configuration{}).facts.empty());

  auto const good = check_mail_server(to_mail(plain.port(), "off"));
  CAPTURE(shown(good));
  CHECK(joined(good.facts, "\n") == name(plain.port()) + "EHLO is answered, no TLS, no login");
  CHECK(good.problems.empty());

  auto whole = to_mail(secure.port(), "required", "svc");
  CHECK(mentions(check_mail_server(whole).problems,
                 "name the file with the authority of the server's certificate in smtp.ca_file"));
  whole.smtp.ca_file = dir.write("ca.pem", ca.authority);
  auto const trusted = check_mail_server(whole);
  CAPTURE(shown(trusted));
  CHECK(joined(trusted.facts, "\n") == name(secure.port()) + "EHLO is answered, STARTTLS, login as svc");
  whole.smtp.password = secret_string("wrong");
  CHECK(mentions(check_mail_server(whole).problems,
                 "the login is refused (535): correct smtp.username and smtp.password"));

  CHECK(mentions(check_mail_server(to_mail(plain.port(), "required")).problems,
                 "the server offers no STARTTLS: use smtps://"));
  auto const dead = test::free_port();
  auto const refused = check_mail_server(to_mail(dead, "off")).problems;
  CAPTURE(joined(refused, "\n"));
  CHECK(mentions(refused, name(dead)));
  CHECK(mentions(refused, "start the mail server there, or correct host and port in smtp.url"));
  CHECK(plain.mails().empty());
}

}  // namespace
}  // namespace svc::app
