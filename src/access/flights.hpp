#pragma once

#include "access/read_batches.hpp"
#include "svc/access/decision.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>

namespace svc::access {

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
  struct flight {
    flown outcome{};
    bool landed = false;
    std::list<steady_timer*> waiting{};
    std::function<void(flown const&)> landed_for{};
  };
  using flight_ptr = std::shared_ptr<flight>;

  flight_ptr launch(sha256_digest const& digest, read_payer payer);
  task<> fly(sha256_digest digest, read_payer payer, flight_ptr f);
  void forget(sha256_digest const& digest, flight_ptr const& f);

  asio::io_context& io_;
  read_batches& reads_;
  std::function<void(flown const&)> landed_;
  std::unordered_map<sha256_digest, flight_ptr, digest_hash> underway_;  ///< the latest of each digest
};

}  // namespace svc::access
