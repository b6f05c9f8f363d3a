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
#include "svc/store/tokens/auth_reader.hpp"

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

namespace svc::access {

/// The rate that a read counts against, and the client's address, because reads of unseen tokens share the
/// slots by address.
struct read_payer {
  bool seen = false;
  std::string address{};  ///< only for unseen tokens
};

/// Auth reads that share statements. Those requested in one turn of the worker's event loop, or while the
/// rate holds statements back, leave together, at most 500 in a statement. So a thousand tokens that arrive
/// at once, after a restart with an empty Redis, cost a few statements. Worker-local; lives as long as the
/// worker.
class read_batches {
 public:
  read_batches(asio::io_context& io, store::auth_reader& reader, read_rates rates);

  struct read_result {
    std::optional<token_record> record{};  ///< empty: there is no such token
    steady::time_point sent{};             ///< when the statement left
  };
  /// Throws `unavailable` when PostgreSQL is unreachable or the queue is full.
  /// `session`: set if `digest` is the record key of a session.
  task<read_result> read(sha256_digest digest, read_payer payer, std::optional<presented_session> session = {});

 private:
  static constexpr std::size_t most_digests = 500;
  /// Ten statements' worth; more would wait longer than a request may.
  static constexpr std::size_t most_waiting = 5'000;

  struct asked_record {
    sha256_digest digest;
    std::optional<presented_session> session;
  };
  using pending = svc::pending<asked_record, read_result>;
  using pending_ptr = std::shared_ptr<pending>;
  struct lane {
    lane(double rate, int most_sent) : pace(rate), most_sent(most_sent) {}
    statement_pace pace;
    int most_sent;  ///< limit of statements in flight; the rest of the pool is for other work
    int sent = 0;
    bool leaving = false;
    fair_line<pending_ptr> waiting{most_waiting};
  };

  void wake(lane& lane);
  task<> depart(lane& lane);
  task<> send(lane& lane, std::vector<pending_ptr> batch);
  /// Reads the tokens or the sessions of a batch by one statement, and answers them.
  task<> answer(std::vector<pending_ptr> batch, bool sessions);

  asio::io_context& io_;
  store::auth_reader& reader_;
  lane unseen_, seen_;
};

/// The outcome of an auth read.
struct auth_read_result {
  decision::read_outcome outcome = decision::read_outcome::failed;
  record_ptr record{};
  steady::time_point begun{};  ///< start of the flight; its statement left then or later
  steady::time_point sent{};   ///< when it left
};

/// Single flight: concurrent requests for one digest share an auth read. A flight is a task of its own with
/// its own deadline, so a client that disconnects does not cancel it for the others. All joined requests get
/// its outcome in the order of their arrival, so that the starter's admission precedes the joiners' on the
/// same connection. A flight that found a record can be joined for a moment after its end; a flight that
/// failed or found none cannot. Worker-local.
class flights {
 public:
  /// `on_result` gets each outcome before any joined request.
  flights(asio::io_context& io, read_batches& reads, std::function<void(auth_read_result const&)> on_result)
      : io_(io), reads_(reads), on_result_(std::move(on_result)) {}

  /// Joins a flight that started at or after `not_before` (empty: any), which costs nothing. Otherwise starts
  /// a flight, which counts against the rate of `payer`. The outcome is `failed` if PostgreSQL is
  /// unreachable, too many wait, or the deadline passed.
  task<auth_read_result> join(sha256_digest digest, std::optional<steady::time_point> not_before, read_payer payer,
                              deadline until, std::optional<presented_session> session = {});

  /// Starts a flight without waiting for it, unless one is under way; `on_result` gets its outcome.
  void start(sha256_digest digest, std::function<void(auth_read_result const&)> on_result,
             std::optional<presented_session> session = {});

  /// Prevents joins of flights that started before this call. Waiting requests still get their outcome.
  void invalidate_all() { underway_.invalidate_all(); }

 private:
  using result_listener = std::function<void(auth_read_result const&)>;
  using underway = single_flight<sha256_digest, auth_read_result, digest_hash>;
  using flight_ptr = underway::flight_ptr;

  flight_ptr launch(sha256_digest const& digest, read_payer payer, result_listener on_result,
                    std::optional<presented_session> session);
  task<> fly(sha256_digest digest, read_payer payer, result_listener on_result, flight_ptr f,
             std::optional<presented_session> session);

  asio::io_context& io_;
  read_batches& reads_;
  std::function<void(auth_read_result const&)> on_result_;
  underway underway_;
};

}  // namespace svc::access
