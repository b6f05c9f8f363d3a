#pragma once

#include "support/redis_cluster.hpp"
#include "support/sentinel_group.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace svc::test {

/// Servers of Redis that replace a lost one by themselves, for tests of the service: with the users of
/// docs/operating.md.
class redis_group {
 public:
  virtual ~redis_group() = default;
  virtual void await_ready() = 0;
  virtual void create_users() = 0;
  /// Returns the environment with which the service finds the servers.
  virtual std::vector<std::string> environment() const = 0;
  virtual std::vector<private_redis*> servers() = 0;
  /// Returns the server that has this subject's keys. From now on `switched` is about that server.
  virtual private_redis& primary_of(std::string const& subject) = 0;
  /// Returns true if another server has taken its place.
  virtual bool switched() const = 0;
  /// Returns true if these are the primaries, separated by commas: with its successor, and without it.
  virtual bool are_primaries(std::string const& addresses) = 0;
  /// Returns true if there is a subscriber to the news of this run.
  virtual bool heard(std::string const& run) = 0;
  /// Stops replication: no replica gets a further write.
  virtual void stop_replication() = 0;
  virtual void resume_replication() = 0;
  /// Lets a server that has returned join the group.
  virtual void rejoin(private_redis& server) = 0;
};

/// A primary, a replica and three sentinels, which notice a loss later than the service does.
class sentinel_servers final : public redis_group {
 public:
  void await_ready() override { group_.await_ready(); }
  void create_users() override {
    group_.set_server_user(documented_acl("svcd", "server-secret"));
    group_.set_sentinel_user(documented_acl("svcd-sentinel", "sentinel-secret"));
  }
  std::vector<std::string> environment() const override {
    std::string sentinels;
    for (auto const& text : group_.sentinel_addresses()) sentinels += (sentinels.empty() ? "" : ",") + text;
    return {"SVC_REDIS_MODE=sentinel",
            "SVC_REDIS_URL=",
            "SVC_REDIS_SENTINELS=" + sentinels,
            "SVC_REDIS_SENTINEL_MASTER=" + std::string(sentinel_group::name),
            "SVC_REDIS_USERNAME=svcd",
            "SVC_REDIS_PASSWORD=server-secret",
            "SVC_REDIS_SENTINEL_USERNAME=svcd-sentinel",
            "SVC_REDIS_SENTINEL_PASSWORD=sentinel-secret"};
  }
  std::vector<private_redis*> servers() override { return {&group_.server(0), &group_.server(1)}; }
  private_redis& primary_of(std::string const&) override {
    switches_ = group_.switches();
    return group_.server(group_.primary());
  }
  bool switched() const override { return group_.switches() > switches_; }
  bool are_primaries(std::string const& addresses) override {
    return addresses == group_.address(group_.server(group_.primary()));
  }
  bool heard(std::string const& run) override {
    return group_.server(group_.primary()).ask({"PUBSUB", "NUMSUB", "svc:{" + run + "}:news"}).ends_with("\n1\n");
  }
  void stop_replication() override { group_.stop_replication(); }
  void resume_replication() override { group_.resume_replication(); }
  void rejoin(private_redis& server) override { group_.rejoin(&server == &group_.server(0) ? 0 : 1); }

 private:
  sentinel_group group_{{.down_after = std::chrono::milliseconds(1500)}};
  std::size_t switches_ = 0;
};

/// A Redis Cluster, whose nodes notice a loss later than the service does.
class cluster_servers final : public redis_group {
 public:
  void await_ready() override { cluster.await_ready(); }
  void create_users() override { cluster.set_user(documented_acl("svcd", "server-secret", true)); }
  std::vector<std::string> environment() const override {
    return {"SVC_REDIS_MODE=cluster",
            "SVC_REDIS_URL=", "SVC_REDIS_NODES=" + cluster.address(0) + "," + cluster.address(4),
            "SVC_REDIS_USERNAME=svcd", "SVC_REDIS_PASSWORD=server-secret"};
  }
  std::vector<private_redis*> servers() override {
    std::vector<private_redis*> out;
    for (std::size_t i = 0; i < cluster.size(); ++i) out.push_back(&cluster.node(i));
    return out;
  }
  private_redis& primary_of(std::string const& subject) override {
    key_ = "{" + subject + "}";
    former_ = cluster.owner(key_);
    return cluster.node(former_);
  }
  bool switched() const override { return cluster.owner(key_) != former_; }
  bool are_primaries(std::string const& addresses) override {
    auto const among = [&](std::size_t node) {
      return (", " + addresses + ",").find(", " + cluster.address(node) + ",") != std::string::npos;
    };
    return !among(former_) && among(cluster.owner(key_));
  }
  bool heard(std::string const& run) override {
    auto const channel = "svc:{" + run + "}:news";
    return cluster.ask(channel, {"PUBSUB", "SHARDNUMSUB", channel}).ends_with("\n1\n");
  }
  void stop_replication() override { cluster.stop_replication(); }
  void resume_replication() override { cluster.resume_replication(); }
  /// The server becomes a replica by itself.
  void rejoin(private_redis&) override {}

  redis_cluster cluster{{.node_timeout = std::chrono::milliseconds(1500)}};

 private:
  std::string key_{};
  std::size_t former_ = 0;
};

}  // namespace svc::test
