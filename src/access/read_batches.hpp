#pragma once

#include "access/fair_line.hpp"
#include "access/statement_pace.hpp"
#include "svc/access/authenticator.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/pending.hpp"
#include "svc/domain/principal.hpp"
#include "svc/store/auth_reader.hpp"

#include <memory>
#include <optional>
#include <string>

namespace svc::access {

/// Which rate pays for a read, and who asks: tokens that nobody has seen share its places by address.
struct read_payer {
  bool seen = false;
  std::string address{};  ///< of unseen ones
};

/// Auth reads that share statements. Those that are asked for in one round of the worker's loop, or while the rate
/// lets no statement go, leave together, 500 at most. So a thousand tokens that come at once, after a restart with an
/// empty Redis, cost what ten do. Worker-local; lives as long as the worker.
class read_batches {
 public:
  read_batches(asio::io_context& io, store::auth_reader& reader, read_rates rates);

  struct landed {
    std::optional<token_record> record{};  ///< nothing: there is no such token
    steady::time_point sent{};             ///< when the statement left
  };
  /// Throws `unavailable` when PostgreSQL is gone, or the line is full.
  task<landed> read(sha256_digest digest, read_payer payer);

 private:
  static constexpr std::size_t most_digests = 500;
  /// Ten statements' worth; more would wait longer than a request may.
  static constexpr std::size_t most_waiting = 5'000;

  using pending = svc::pending<sha256_digest, landed>;
  using pending_ptr = std::shared_ptr<pending>;
  struct lane {
    lane(double rate, int most_sent) : pace(rate), most_sent(most_sent) {}
    statement_pace pace;
    int most_sent;  ///< statements on their way at once: the rest of the pool is others'
    int sent = 0;
    bool leaving = false;
    fair_line<pending_ptr> waiting{most_waiting};
  };

  void wake(lane& of);
  task<> depart(lane& of);
  task<> send(lane& of, std::vector<pending_ptr> batch);

  asio::io_context& io_;
  store::auth_reader& reader_;
  lane unseen_, seen_;
};

}  // namespace svc::access
