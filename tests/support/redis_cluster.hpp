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
    /// Opens the proxies once the nodes run. Replicas need them, because they find their masters there too.
    std::function<void(redis_cluster&)> open_proxies{};
  };
  static constexpr std::size_t masters = 3;
  /// Time limit for actions that nodes take by themselves.
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
  /// The address to which clients are sent if the nodes are behind proxies.
  std::string announced(std::size_t i) const { return "127.0.0.1:" + std::to_string(announced_.at(i)); }
  int announced_port(std::size_t i) const { return announced_.at(i); }
  /// The file with the CA, if TLS is used.
  std::string authority() const { return files_.path() + "/ca"; }

  /// Waits until all nodes that answer agree on three masters with all slots, and replicas are in step.
  void await_ready();
  /// Returns the node that is the master of the key's slot by its own view; of several such nodes, the one that
  /// became master last. If the master is gone, returns the node that the others still name. Does not ask nodes that
  /// are killed or frozen.
  std::size_t owner(std::string_view key) const;
  std::size_t owner_of_slot(int slot) const;
  /// Any slot of that node which has keys.
  std::optional<int> slot_with_keys(std::size_t node) const;
  /// The replicas of a node that is a master.
  std::vector<std::size_t> replicas_of(std::size_t master) const;
  /// Sends a command to the node that has the key's slot.
  std::string ask(std::string_view key, std::vector<std::string> const& words) const;

  /// Starts to move the slot to that master. From then on the source serves the keys that it still has, and the
  /// master serves the others.
  void begin_move(int slot, std::size_t last);
  /// Moves up to `most` keys that are still at the source; returns how many there were.
  std::size_t move_keys(int slot, std::size_t last, int most);
  void end_move(int slot, std::size_t last);
  /// Moves the whole slot.
  void move_slot(int slot, std::size_t last);

  /// Waits until each replica has all writes of its master, and then stops the replication.
  void stop_replication();
  void resume_replication();

  /// Creates a user on the nodes that answer: `rules` are those of ACL SETUSER, `{"svcd", "on", ">password", ...}`.
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
