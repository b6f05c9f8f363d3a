#pragma once

#include "access/fair_line.hpp"
#include "svc/access/authenticator.hpp"
#include "svc/access/decision.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/pending.hpp"
#include "svc/core/single_flight.hpp"
#include "svc/domain/principal.hpp"
#include "svc/store/auth_reader.hpp"

#include <functional>
#include <list>
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

/// What an auth read gave.
struct flown {
  decision::read_outcome what = decision::read_outcome::failed;
  record_ptr record{};
  steady::time_point begun{};  ///< its statement left then or later
  steady::time_point sent{};   ///< when it left
};

/// Single flight: one auth read for each digest at a time, whoever asks. A flight is a task of its own with its
/// own deadline, so no client that goes away cancels it for the others. Its outcome reaches all who joined, in the
/// order they came: the starter's admission stands before the joiners' on the same connection. A record can be joined
/// for a moment after it landed, failures and absences cannot. Worker-local.
class flights {
 public:
  /// `landed` sees each record before anybody else.
  flights(asio::io_context& io, read_batches& reads, std::function<void(flown const&)> landed)
      : io_(io), reads_(reads), landed_(std::move(landed)) {}

  /// Joins a flight that began at or after `not_before` (any, if nothing), which costs nothing, else starts one for
  /// which `payer` pays. `failed` when PostgreSQL is gone, too many wait, or the deadline passed.
  task<flown> join(sha256_digest digest, std::optional<steady::time_point> not_before, read_payer payer,
                   deadline until);

  /// Starts one that nobody waits for, unless one is on its way; `landed_for` gets its outcome.
  void start(sha256_digest digest, std::function<void(flown const&)> landed_for);

 private:
  using told = std::function<void(flown const&)>;
  using underway = single_flight<sha256_digest, flown, digest_hash>;
  using flight_ptr = underway::flight_ptr;

  flight_ptr launch(sha256_digest const& digest, read_payer payer, told landed_for);
  task<> fly(sha256_digest digest, read_payer payer, told landed_for, flight_ptr f);

  asio::io_context& io_;
  read_batches& reads_;
  std::function<void(flown const&)> landed_;
  underway underway_;
};

}  // namespace svc::access
