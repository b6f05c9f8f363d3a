#pragma once

#include "integration/redis/fixture.hpp"
#include "support/redis_cluster.hpp"
#include "support/sentinel_group.hpp"
#include "svc/redis/subscriber.hpp"

#include <map>

namespace svc::redis {

using test::redis_cluster;

// As admit does it: two keys a call, which share a slot; says how often the first was counted.
inline script const count_two("count_two", R"(
local replies = {}
for i = 1, #KEYS / 2 do
  redis.call('GET', KEYS[2 * i])
  replies[i] = ARGV[i] .. ' ' .. redis.call('INCR', KEYS[2 * i - 1])
end
return replies
)");

/// The rules of docs/operating.md, and what the tests' own script needs.
inline std::vector<std::string> cluster_user() {
  auto rules = test::documented_acl("svcd", "server-secret", true);
  rules.emplace_back("+incr");
  return rules;
}

/// Over TLS, with the user of docs/operating.md. Tests leave it with three masters, each with a replica.
inline redis_cluster& nodes() {
  static redis_cluster shared({.tls = true});
  static bool const prepared = [] {
    shared.set_user(cluster_user());
    return true;
  }();
  static_cast<void>(prepared);
  return shared;
}

inline settings as_user(std::vector<std::string> const& some) {
  auto where = patient("redis://127.0.0.1");
  for (auto const& text : some) where.cluster.push_back(*parse_address(text));
  where.username = "svcd";
  where.password = secret_string("server-secret");
  where.tls = true;
  where.tls_ca_file = nodes().authority();
  return where;
}

struct clustered {
  explicit clustered(settings settings = as_user({nodes().address(0)})) : where(std::move(settings)) {
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
inline std::string tag_on(std::size_t node, std::string const& name) {
  for (int i = 0; i < 1000; ++i)
    if (auto const tag = name + std::to_string(i); nodes().owner("{" + tag + "}") == node) return tag;
  throw std::runtime_error("no tag on that node");
}

inline int slot_number_of(std::string const& key) {
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

}  // namespace svc::redis
