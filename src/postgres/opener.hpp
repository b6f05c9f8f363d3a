#pragma once

#include "postgres/connection.hpp"
#include "svc/core/async.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace svc::postgres {

/// Opens sessions on the primary among several servers. It starts with the server that worked last. It starts an
/// attempt at the next server if the previous one has failed or has been silent for a moment. Otherwise a dead or
/// unreachable server would cost every session the whole timeout. Refuses a former primary. Worker-local; its
/// attempts keep it alive.
class opener : public std::enable_shared_from_this<opener> {
 public:
  /// Does not throw: libpq reports a connection string that this class cannot read.
  opener(asio::io_context& io, settings settings);

  struct outcome {
    std::unique_ptr<connection> session{};
    std::string reason{};     ///< each server's reason for a failure
    bool silent = false;      ///< the server that worked last did not answer
    bool superseded = false;  ///< the primary is now on another server, so try again at once
  };
  /// Opens one session, within `connect_timeout` for each server.
  task<outcome> open();

  /// Accepts the server of the primary, unless it is older than the newest known one. Returns true if the
  /// primary is on another server than before; running attempts are then given up.
  bool follow(primary_server const& where);
  /// Returns the newest known timeline.
  server_identity const& newest() const { return newest_; }
  /// Returns the reason why a session of that server must not be used.
  std::string why_former(server_identity const& old) const;

 private:
  struct race;
  static task<> attempt(std::shared_ptr<opener> self, std::shared_ptr<race> race, std::size_t server);
  task<std::unique_ptr<connection>> greet(std::size_t server, deadline until);
  task<> enter(connection& connection);

  asio::io_context& io_;
  settings settings_;
  std::vector<server_address> servers_;
  std::size_t good_ = 0;
  server_identity newest_{}, entered_{};
  bool identifies_ = true;  ///< false once a server has broken a session because of the identity query
  std::vector<std::weak_ptr<race>> races_{};
};

}  // namespace svc::postgres
