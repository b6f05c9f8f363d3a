#pragma once

#include "gate.hpp"
#include "support/private_postgres.hpp"
#include "support/private_redis.hpp"
#include "support/replicated_postgres.hpp"
#include "support/sentinel_group.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace svc::test {

/// Maximum number of instances of a rig.
inline constexpr std::size_t most_instances = 8;
/// The parties that connect to a gate in front of a store: the last number of their address.
inline constexpr int party_replica = 31, party_sentinel = 41;
constexpr int party_instance(std::size_t number) {
  return 11 + static_cast<int>(number);
}
inline std::string address_of_party(int party) {
  return "127.0.0." + std::to_string(party);
}

enum class redis_servers {
  single,
  sentinel,  ///< a primary, a replica and three sentinels
  cluster    ///< three masters, a replica of each, and a node without slots
};

/// The stores of an installation.
struct topology {
  char const* name;
  redis_servers redis;
  bool standby;  ///< true: PostgreSQL has a primary and a synchronous standby; false: one server
};

/// All topologies that the service supports; each has its tests.
inline constexpr std::array<topology, 6> topologies{
    {{"one Redis, one PostgreSQL", redis_servers::single, false},
     {"Redis Sentinel, one PostgreSQL", redis_servers::sentinel, false},
     {"Redis Cluster, one PostgreSQL", redis_servers::cluster, false},
     {"one Redis, PostgreSQL with a standby", redis_servers::single, true},
     {"Redis Cluster, PostgreSQL with a standby", redis_servers::cluster, true},
     {"Redis Sentinel, PostgreSQL with a standby", redis_servers::sentinel, true}}};
inline constexpr topology single_stores = topologies.front(), cluster_stores = topologies[4],
                          replicated_stores = topologies.back();

/// Redis behind gates. Create it on the main thread.
class redis_side {
 public:
  virtual ~redis_side() = default;

  /// Returns the settings by which instances find it.
  virtual std::vector<std::string> environment() const = 0;
  /// Applies the passage between one instance, or all, and every server.
  virtual void let_instances(passage passage, std::optional<std::size_t> only) = 0;
  /// Returns the primary; of a Cluster, one of its three masters.
  virtual private_redis& primary() = 0;
  /// Waits until all parts agree that all is well.
  virtual void await_ready() {}
  // These connections exist only with sentinels: between the replica and the primary, the sentinels and the primary,
  // and one instance or all and the sentinels.
  virtual void let_replica(passage) {}
  virtual void let_sentinels(passage) {}
  virtual void let_questions(passage, std::optional<std::size_t>) {}
  /// Kills the primary and waits until the replica has replaced it; the old primary returns as a replica. Requires
  /// more than one server.
  virtual void fail_over() {}
};

std::unique_ptr<redis_side> make_redis(topology const& topology);

/// PostgreSQL behind gates, with the service's roles and its migrated database. Create it on the main thread.
class postgres_side {
 public:
  explicit postgres_side(topology const& topology);

  /// Returns a URL that leads through the gates.
  std::string url(std::string const& user) const;
  /// Returns a URL of a superuser in the service's database on the primary, past all gates.
  std::string direct_url() const;
  private_postgres& primary() { return promoted_ ? pair_->standby() : pair_ ? pair_->primary() : *alone_; }
  void let_instances(passage passage, std::optional<std::size_t> only);
  /// Applies the passage between the standby and the primary.
  void let_standby(passage passage);
  /// Kills the primary and promotes the standby.
  void fail_over();
  /// Waits until the standby, if there is one, has the same data as the primary.
  void await_ready() const;

 private:
  private_postgres const& serving() const {
    return promoted_ ? pair_->standby() : pair_ ? pair_->primary() : *alone_;
  }

  std::optional<private_postgres> alone_{};
  std::optional<replicated_postgres> pair_{};
  std::vector<std::unique_ptr<gate>> gates_{};  ///< one in front of each server, the primary's first
  std::optional<gate> replication_{};
  bool promoted_ = false;
};

}  // namespace svc::test
