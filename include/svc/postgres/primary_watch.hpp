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

/// One server of a connection string, in libpq's words; what is empty stays as the string says. A value.
struct server_address {
  std::string host{}, hostaddr{}, port{};

  /// For people: `db1.example.org port 5432`; empty when the string does not name it.
  std::string text() const;
  friend bool operator==(server_address const&, server_address const&) = default;
};

/// What a server said when it was last asked. A value.
struct server_report {
  server_address address{};
  bool reached = false;
  bool encrypted = false;  ///< by TLS
  bool pooled = false;     ///< a pooler answered in its name
  std::string reason{};    ///< not reached: the reason
  server_identity identity{};
};

/// The primary among them: the one that writes the newest timeline, the first of several that write the same.
/// Clusters that have nothing in common cannot be compared: that of the first primary counts. Nothing when there is
/// none. Pure.
std::optional<primary_place> primary_of(std::vector<server_report> const& servers);

/// Asks every server of a connection string each second what it is, each on a session of its own, and independently
/// of the others: one statement without locks. So a promotion is noticed while nobody connects, also when the former
/// primary goes on as if nothing had happened. Worker-local; pools belong to other workers, who must be told.
class primary_watch {
 public:
  using listener = std::function<void(primary_place const&)>;
  /// `changed` is told each primary that is another one than before, or writes another timeline; never an older one
  /// of the same cluster.
  primary_watch(asio::io_context& io, settings settings, listener changed);
  ~primary_watch();
  primary_watch(primary_watch const&) = delete;
  primary_watch& operator=(primary_watch const&) = delete;

  void start();
  void stop();
  /// In the order of the connection string.
  std::vector<server_report> const& reports() const;
  /// For a process that does one thing: asks all of them once, and waits until each has answered, or the deadline
  /// passes.
  task<std::optional<primary_place>> look(deadline until);

  static constexpr std::chrono::seconds interval{1};

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

/// Whether a connection string lists servers of which one must be found.
bool lists_servers(secret_string const& url);

/// What the servers of a connection string are now. Blocks for as long as one of them does not answer, at most for
/// `patience`: for a process that does one thing.
struct look_around {
  look_around(settings settings, milliseconds patience);

  std::vector<server_report> servers{};
  std::optional<primary_place> primary{};
};

}  // namespace svc::postgres
