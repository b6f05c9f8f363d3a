#pragma once

#include "support/private_redis.hpp"
#include "support/temporary_directory.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::test {

/// A Redis Cluster: three masters with the slots in equal parts, a replica of each, and a server without slots, each
/// a real process. Create it on the main thread; all end with it. The user `default` may do everything on each of
/// them.
class redis_cluster {
 public:
  struct options {
    bool tls = false;                              ///< everything over TLS, with a CA of its own
    std::chrono::milliseconds node_timeout{1000};  ///< without an answer, for a node to consider another one down
    bool replicas = true;                          ///< false: no failover
    bool behind_proxies = false;  ///< clients are sent to `announced` ports, where nobody listens yet
    /// Opens these, once the nodes run; with replicas, which find their masters there too.
    std::function<void(redis_cluster&)> open_proxies{};
  };
  static constexpr std::size_t masters = 3;
  /// For what nodes do by themselves.
  static constexpr std::chrono::seconds patience{60};

  redis_cluster() : redis_cluster(options{}) {}
  explicit redis_cluster(options chosen);

  std::size_t size() const { return nodes_.size(); }
  /// At first the masters, then the replica of each, then the one without slots.
  private_redis& node(std::size_t i) { return *nodes_.at(i); }
  std::size_t spare() const { return nodes_.size() - 1; }
  /// `127.0.0.1:PORT`, over TLS if it is used.
  std::string address(std::size_t i) const;
  std::vector<std::string> addresses() const;
  /// Where clients are sent to, if the nodes are behind proxies.
  std::string announced(std::size_t i) const { return "127.0.0.1:" + std::to_string(announced_.at(i)); }
  int announced_port(std::size_t i) const { return announced_.at(i); }
  /// The file with the CA, if TLS is used.
  std::string authority() const { return files_.path() + "/ca"; }

  /// Waits until all nodes that answer agree on three masters with all slots, and replicas are in step.
  void await_ready();
  /// The node that is the master of the key's slot, as it says itself (of several, the one that became it last),
  /// or as others still say if it is gone.
  /// Nodes that are killed or frozen are not asked.
  std::size_t owner(std::string_view key) const;
  std::size_t owner_of_slot(int slot) const;
  /// Any slot of that node which has keys.
  std::optional<int> slot_with_keys(std::size_t node) const;
  /// The replicas of a node that is a master.
  std::vector<std::size_t> replicas_of(std::size_t master) const;
  /// On the node that has the key's slot.
  std::string ask(std::string_view key, std::vector<std::string> const& words) const;

  /// The slot's keys are on their way to that master: those that are still here are served here, others there.
  void begin_move(int slot, std::size_t last);
  /// Moves up to `most` keys that are still at the source; returns how many there were.
  std::size_t move_keys(int slot, std::size_t last, int most);
  void end_move(int slot, std::size_t last);
  /// All of it.
  void move_slot(int slot, std::size_t last);

  /// Each replica has all writes of its master until now, and gets no more.
  void stop_replication();
  void resume_replication();

  /// Creates a user: `rules` are those of ACL SETUSER, `{"svcd", "on", ">password", ...}`. On nodes that answer.
  void set_user(std::vector<std::string> rules);

 private:
  struct shard {
    std::size_t master = 0;
    long long epoch = 0;
    std::vector<std::size_t> replicas{};
    std::vector<std::pair<int, int>> slots{};
  };

  private_redis::options make_node();
  std::string port_of(std::size_t i) const;
  std::string id_of(std::size_t i) const;
  bool runs(std::size_t i) const;
  std::vector<shard> shards() const;
  std::vector<shard> shards_as_said_by(std::size_t i) const;
  bool ready() const;
  bool in_step(std::size_t replica) const;
  void must(std::size_t node, std::vector<std::string> const& words) const;

  options chosen_;
  temporary_directory files_{};
  std::vector<std::unique_ptr<private_redis>> nodes_{};
  std::vector<int> bus_{}, announced_{};
};

}  // namespace svc::test
