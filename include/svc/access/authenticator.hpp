#pragma once

#include "svc/access/decision.hpp"
#include "svc/access/record_cache.hpp"
#include "svc/core/async.hpp"
#include "svc/core/database_clock.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/redis/client.hpp"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace svc::store {
class auth_reader;
}

namespace svc::access {

class flights;
class read_batches;

/// The maximum number of statements per second that one worker may send to read tokens from PostgreSQL. One statement
/// reads up to 500 tokens.
struct read_rates {
  double unseen = 50;   ///< for tokens not known to have been valid within the last hour
  double seen = 2'000;  ///< for all others
};

/// Looks up credentials in worker memory, Redis and PostgreSQL. The records that it finds are not yet
/// confirmed; a `decision` uses them. No function throws if a store is unreachable. The object belongs to one
/// worker.
class authenticator {
 public:
  authenticator(asio::io_context& io, redis::client& redis, store::auth_reader& reader, read_rates rates);
  ~authenticator();

  /// Returns the record in worker memory. The worker refreshes a record past four fifths of its age in the
  /// background.
  held_record held(sha256_digest const& digest);

  struct fetched_record {
    decision::fetch_outcome fetch = decision::fetch_outcome::nothing;
    record_ptr record{};
    bool seen = false;  ///< known valid within the last hour, here or elsewhere, or just created
  };
  /// Looks up the record in Redis with one command.
  task<fetched_record> fetch(sha256_digest digest, deadline until);

  struct read_request {
    sha256_digest digest;
    std::optional<steady::time_point> not_before{};  ///< a re-read: the statement must leave after this
    bool seen = false;                               ///< which of `read_rates` the read counts against
    std::string address{};                           ///< addresses share the statements for unseen tokens fairly
    std::optional<presented_session> session{};      ///< set if `digest` is the record key of a session
  };
  struct read_result {
    decision::read_outcome outcome = decision::read_outcome::failed;
    record_ptr record{};
    steady::time_point sent{};
  };
  /// Reads PostgreSQL. Concurrent calls for the same digest share one read.
  task<read_result> read(read_request request, deadline until);

  /// Keeps a record that admission has confirmed (Redis holds its epoch); `publish` writes it to Redis for the other
  /// workers, without waiting.
  void keep(sha256_digest const& digest, record_ptr confirmed, bool publish);
  /// Notifies all workers, through Redis, that no such token existed at `sent`. The entry is valid for ten seconds
  /// from then, unless the token is created.
  void keep_unknown(sha256_digest const& digest, steady::time_point sent);

  void invalidate(std::vector<subject_epoch> const& touched) { cache_.invalidate(touched); }
  /// Drops all records, because Redis was replaced or lost: its earlier confirmations no longer count.
  void invalidate_all() { cache_.invalidate_all(); }
  /// Sets the lowest valid epoch: in the current timeline of PostgreSQL, all epochs are at least `lowest_epoch`.
  /// Records below it belong to a timeline that has ended and are rejected, whatever their source.
  void set_minimum_epoch(std::int64_t lowest_epoch);
  database_clock const& clock() const { return clock_; }

 private:
  bool seen_here(sha256_digest const& digest) const;
  void remember_seen(sha256_digest const& digest);
  task<> put(sha256_digest digest, record_ptr record);
  task<> put_unknown(sha256_digest digest, timestamp read_at);

  asio::io_context& io_;
  redis::client& redis_;
  record_cache cache_;
  database_clock clock_;
  std::int64_t lowest_epoch_ = 0;
  std::unordered_map<sha256_digest, steady::time_point, digest_hash> seen_;  ///< bounded; survives an outage
  std::unique_ptr<read_batches> reads_;
  std::unique_ptr<flights> flights_;
};

/// Returns `svc:tok:{<digest in hex>}`.
std::string record_key(sha256_digest const& digest);

}  // namespace svc::access
