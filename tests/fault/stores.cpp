#include "stores.hpp"

#include "integration/system/faults/restored_database.hpp"
#include "support/comes_true.hpp"
#include "support/free_port.hpp"
#include "support/redis_cluster.hpp"
#include "support/store_probe.hpp"

#include <stdexcept>

namespace svc::test {
namespace {

constexpr std::chrono::seconds stores_patience{60};

void let_some(gate& gate, passage passage, std::optional<std::size_t> only) {
  for (std::size_t i = 0; i < most_instances; ++i)
    if (!only || *only == i) gate.let(passage, party_instance(i));
}

class single_redis : public redis_side {
 public:
  std::vector<std::string> environment() const override {
    return {"SVC_REDIS_URL=redis://127.0.0.1:" + std::to_string(gate_.port())};
  }
  void let_instances(passage passage, std::optional<std::size_t> only) override { let_some(gate_, passage, only); }
  private_redis& primary() override { return server_; }

 private:
  private_redis server_{};
  gate gate_{server_.socket()};
};

class sentinel_redis : public redis_side {
 public:
  sentinel_redis() {
    for (std::size_t i = 0; i < sentinel_group::sentinels; ++i)
      before_sentinels_.push_back(std::make_unique<gate>(group_.sentinel(i).port()));
    group_.await_ready();
  }

  std::vector<std::string> environment() const override {
    std::string all;
    for (auto const& gate : before_sentinels_)
      all += (all.empty() ? "" : ",") + std::string("127.0.0.1:") + std::to_string(gate->port());
    return {"SVC_REDIS_MODE=sentinel", "SVC_REDIS_SENTINELS=" + all,
            "SVC_REDIS_SENTINEL_MASTER=" + std::string(sentinel_group::name)};
  }
  void let_instances(passage passage, std::optional<std::size_t> only) override {
    for (auto& entry : before_servers_) let_some(entry, passage, only);
  }
  void let_replica(passage passage) override {
    for (auto& entry : before_servers_) entry.let(passage, party_replica);
  }
  void let_sentinels(passage passage) override {
    // Whoever is the primary now: afterwards it may be another.
    if (passage.requests_held || passage.answers_held)
      return before_servers_.at(group_.primary()).let(passage, party_sentinel);
    for (auto& entry : before_servers_) entry.let(passage, party_sentinel);
  }
  void let_questions(passage passage, std::optional<std::size_t> only) override {
    for (auto& gate : before_sentinels_) let_some(*gate, passage, only);
  }
  private_redis& primary() override { return group_.server(group_.primary()); }
  void await_ready() override { group_.await_ready(); }
  void fail_over() override {
    auto const lost = group_.primary();
    group_.server(lost).kill();
    if (!comes_true([&] { return group_.primary() != lost; }, sentinel_group::patience))
      throw std::runtime_error("the sentinels do not switch");
    group_.server(lost).start();
  }

 private:
  int ports_[2] = {free_port(), free_port()};
  std::array<gate, 2> before_servers_{gate(std::to_string(ports_[0])), gate(std::to_string(ports_[1]))};
  sentinel_group group_{{.down_after = std::chrono::milliseconds(1500),
                         .doors = {{{ports_[0], before_servers_[0].port()}, {ports_[1], before_servers_[1].port()}}},
                         .servers_from = address_of_party(party_replica),
                         .sentinels_from = address_of_party(party_sentinel)}};
  std::vector<std::unique_ptr<gate>> before_sentinels_{};
};

/// Replicas and instances come to a node by its gate; what nodes tell each other goes past it.
class cluster_redis : public redis_side {
 public:
  std::vector<std::string> environment() const override {
    std::string all;
    for (auto const& gate : before_nodes_)
      all += (all.empty() ? "" : ",") + std::string("127.0.0.1:") + std::to_string(gate->port());
    return {"SVC_REDIS_MODE=cluster", "SVC_REDIS_NODES=" + all};
  }
  void let_instances(passage passage, std::optional<std::size_t> only) override {
    for (auto& gate : before_nodes_) let_some(*gate, passage, only);
  }
  private_redis& primary() override { return nodes_.node(nodes_.owner_of_slot(any_slot)); }
  void await_ready() override { nodes_.await_ready(); }
  void fail_over() override {
    auto const lost = nodes_.owner_of_slot(any_slot);
    nodes_.node(lost).kill();
    if (!comes_true([&] { return nodes_.owner_of_slot(any_slot) != lost; }, redis_cluster::patience))
      throw std::runtime_error("the nodes do not fail over");
    nodes_.node(lost).start();
  }

 private:
  static constexpr int any_slot = 0;

  std::vector<std::unique_ptr<gate>> before_nodes_{};
  redis_cluster nodes_{
      {.node_timeout = std::chrono::milliseconds(1500), .behind_proxies = true, .open_proxies = [this](auto& nodes) {
         for (std::size_t i = 0; i < nodes.size(); ++i)
           before_nodes_.push_back(std::make_unique<gate>(nodes.node(i).socket(), nodes.announced_port(i)));
       }}};
};

std::string socket_of(private_postgres const& server) {
  return server.directory() + "/.s.PGSQL.5432";
}

}  // namespace

std::unique_ptr<redis_side> make_redis(topology const& topology) {
  switch (topology.redis) {
    case redis_servers::single:
      return std::make_unique<single_redis>();
    case redis_servers::sentinel:
      return std::make_unique<sentinel_redis>();
    case redis_servers::cluster:
      return std::make_unique<cluster_redis>();
  }
  throw std::logic_error("no such servers");
}

postgres_side::postgres_side(topology const& topology) {
  if (topology.standby) {
    pair_.emplace(replicated_postgres::commits::synchronous);
    replication_.emplace(socket_of(pair_->primary()));
    ask_postgres(pair_->standby().url(), "ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 user=svc port=" +
                                             std::to_string(replication_->port()) + "'");
    ask_postgres(pair_->standby().url(), "SELECT pg_reload_conf()");
    gates_.push_back(std::make_unique<gate>(socket_of(pair_->primary())));
    gates_.push_back(std::make_unique<gate>(socket_of(pair_->standby())));
    await_ready();
  } else {
    alone_.emplace();
    gates_.push_back(std::make_unique<gate>(socket_of(*alone_)));
  }
  auto owner = serving().url();
  owner.replace(owner.find("svc@/postgres"), 13, "svc_owner@/svc");
  make_service_database(serving().url(), owner);
}

std::string postgres_side::url(std::string const& user) const {
  std::string hosts;
  for (auto const& gate : gates_)
    hosts += (hosts.empty() ? "" : ",") + std::string("127.0.0.1:") + std::to_string(gate->port());
  return "postgresql://" + user + "@" + hosts + "/svc";
}

std::string postgres_side::direct_url() const {
  auto url = serving().url();
  std::string const usual = "/postgres?";
  return url.replace(url.find(usual), usual.size(), "/svc?");
}

void postgres_side::let_instances(passage passage, std::optional<std::size_t> only) {
  for (auto& gate : gates_) let_some(*gate, passage, only);
}

void postgres_side::let_standby(passage passage) {
  if (replication_) replication_->let(passage);
}

void postgres_side::fail_over() {
  pair_->primary().kill();
  pair_->promote();
  promoted_ = true;
}

void postgres_side::await_ready() const {
  if (!pair_ || promoted_) return;
  auto const question = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'";
  if (!comes_true([&] { return ask_postgres(serving().url(), question)[0][0] == "1"; }, stores_patience))
    throw std::runtime_error("the standby does not follow");
  pair_->wait_until_level();
}

}  // namespace svc::test
