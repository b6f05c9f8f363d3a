#pragma once

#include "support/private_redis.hpp"
#include "support/temporary_directory.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace svc::test {

/// A primary, a replica and three sentinels that agree by two, each a real process. Create it on the main thread; all
/// end with it. The user `default` may do everything on each of them.
class sentinel_group {
 public:
  struct options {
    bool tls = false;                            ///< everything over TLS, with a separate CA
    std::chrono::milliseconds down_after{1000};  ///< time without an answer until a sentinel considers a server down
    /// If set, each server listens on its own port, and all clients use the port in front of it.
    struct door {
      int own = 0, before = 0;
    };
    std::array<door, 2> doors{};
    /// Addresses that servers and sentinels connect from.
    std::string servers_from{}, sentinels_from{};
  };
  static constexpr std::size_t servers = 2, sentinels = 3;
  static constexpr char const* name = "main";
  /// Time limit for actions of sentinels. After the machine stood still for two seconds they do nothing for half a
  /// minute (TILT).
  static constexpr std::chrono::seconds patience{90};

  sentinel_group() : sentinel_group(options{}) {}
  explicit sentinel_group(options chosen);

  private_redis& server(std::size_t i) { return *servers_.at(i); }
  private_redis& sentinel(std::size_t i) { return *sentinels_.at(i); }
  /// Returns `127.0.0.1:PORT`, over TLS if it is used.
  std::string address(private_redis const& redis) const;
  /// Returns the addresses of all sentinels.
  std::vector<std::string> sentinel_addresses() const;
  /// Returns the file with the CA, if TLS is used.
  std::string authority() const { return files_.path() + "/ca"; }

  /// Waits until all agree: one primary, one replica in step, three sentinels that can fail over. Throws after
  /// `patience`.
  void await_ready();
  /// Returns the index of the server that the first answering sentinel names.
  std::size_t primary() const;
  std::size_t replica() const { return 1 - primary(); }
  /// Makes the server a replica of the current primary. Call it after the server was started again, or continued.
  void rejoin(std::size_t server);
  /// Waits until the replica has all writes of the primary, and then stops the replication.
  void stop_replication();
  void resume_replication();
  /// Returns the number of `+switch-master` lines in the logs of all sentinels.
  std::size_t switches() const;
  /// Returns a server that is not in the group, with its certificate.
  std::unique_ptr<private_redis> another_server() const { return std::make_unique<private_redis>(make_server({})); }
  /// Returns a further sentinel, which believes that the replica is the primary, and never agrees with the others.
  std::unique_ptr<private_redis> liar();
  /// Creates a user: `rules` are those of ACL SETUSER, `{"on", ">password", ...}`.
  void set_server_user(std::vector<std::string> rules);
  void set_sentinel_user(std::vector<std::string> rules);

 private:
  private_redis::options make_server(std::vector<std::string> arguments) const;
  void add_server(std::vector<std::string> arguments);
  std::string tls_lines() const;
  std::string port_of(private_redis const& redis) const;
  bool ready() const;
  bool in_step(std::size_t replica) const;
  std::string sentinel_lines(std::string const& port, int quorum) const;

  options chosen_;
  temporary_directory files_{};
  std::vector<std::unique_ptr<private_redis>> servers_{}, sentinels_{};
};

/// Returns the rules of a user from the lines `ACL SETUSER <user> ...` of docs/operating.md, with the password in
/// place of the word after `>`. Rules that only a Cluster needs are in a separate line, with `+asking`.
std::vector<std::string> documented_acl(std::string const& user, std::string const& password,
                                        bool in_cluster = false);

}  // namespace svc::test
