#pragma once

#include "postgres/connection.hpp"
#include "svc/core/async.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace svc::postgres {

/// Opens sessions on the primary among several servers. It begins with the server that was good last, and gives the
/// next one its turn when that has failed or has been silent for a moment, so that a dead or unreachable server does
/// not cost every session its whole patience. Refuses a former primary. Worker-local; kept alive by its attempts.
class opener : public std::enable_shared_from_this<opener> {
 public:
  /// Throws nothing: what cannot be read is left to libpq.
  opener(asio::io_context& io, settings settings);

  struct outcome {
    std::unique_ptr<connection> session{};
    std::string reason{};     ///< of a failure: each server's reason
    bool silent = false;      ///< the server that was good last did not answer
    bool superseded = false;  ///< the primary is elsewhere now: try again at once
  };
  /// One session, within `connect_timeout` for each server.
  task<outcome> open();

  /// Takes what is known about the primary, unless it is older than what is known here. True when the primary is on
  /// another server than before: attempts that run are then given up.
  bool follow(primary_place const& where);
  /// The newest timeline known.
  server_identity const& newest() const { return newest_; }
  /// Why a session of that server must not be used.
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
  bool identifies_ = true;  ///< false once a server has broken a session for being asked
  std::vector<std::weak_ptr<race>> races_{};
};

}  // namespace svc::postgres
