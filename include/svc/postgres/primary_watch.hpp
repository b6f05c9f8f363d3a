#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/postgres/pool.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {

/// One server of a connection string, in libpq's terms. The connection string decides each empty member. A value.
struct server_address {
  std::string host{}, hostaddr{}, port{};

  /// Returns a text for people: `db1.example.org port 5432`. Empty if the string does not name the server.
  std::string text() const;
  friend bool operator==(server_address const&, server_address const&) = default;
};

/// The last report of a server. A value.
struct server_report {
  server_address address{};
  bool reached = false;
  bool encrypted = false;  ///< the session uses TLS
  bool pooled = false;     ///< a pooler answered in the server's name
  std::string reason{};    ///< the reason why the server was not reached
  server_identity identity{};
};

/// Returns the primary among the servers: the one that writes the newest timeline, or the first of several
/// with the same timeline. Unrelated clusters cannot be compared, so the cluster of the first primary counts.
/// Returns `std::nullopt` if there is no primary. Pure.
std::optional<primary_server> primary_of(std::vector<server_report> const& servers);

/// Asks every server of a connection string each second for its identity, with one statement that takes no
/// lock. Each server has its own session, independent of the other servers. The watch therefore notices a
/// promotion while nobody connects, even if the former primary continues to run. Worker-local; pools belong
/// to other workers, which `changed` must notify.
class primary_watch {
 public:
  using listener = std::function<void(primary_server const&)>;
  /// `changed` receives each primary that differs from the previous primary in its server or its timeline. It never
  /// receives an older primary of the same cluster.
  primary_watch(asio::io_context& io, settings settings, listener changed);
  ~primary_watch();
  primary_watch(primary_watch const&) = delete;
  primary_watch& operator=(primary_watch const&) = delete;

  void start();
  void stop();
  /// Returns the reports in the order of the connection string.
  std::vector<server_report> const& reports() const;
  /// Asks all servers once, and waits until each has answered or the deadline passes. Suits a process that does one
  /// thing.
  task<std::optional<primary_server>> look(deadline until);

  static constexpr std::chrono::seconds interval{1};

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

/// Returns true if a connection string lists several servers, among which the primary must be found.
bool lists_servers(secret_string const& url);

/// Asks the servers of a connection string for their current identities. Blocks while a server does not answer, at
/// most for `patience`. For a process that does one thing.
struct look_around {
  look_around(settings settings, milliseconds patience);

  std::vector<server_report> servers{};
  std::optional<primary_server> primary{};
};

}  // namespace svc::postgres
