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

/// How many statements a second one worker may send to read tokens from PostgreSQL. One statement reads up to 500
/// tokens.
struct read_rates {
  double unseen = 50;   ///< for tokens not known to have been valid within the last hour
  double seen = 2'000;  ///< for all others
};

/// Looks up credentials in worker memory, Redis and PostgreSQL. What it finds is not yet confirmed; a `decision` says
/// what to do with it. Nothing here throws when a store is unreachable. Worker-local.
class authenticator {
 public:
  authenticator(asio::io_context& io, redis::client& redis, store::auth_reader& reader, read_rates rates);
  ~authenticator();

  /// Worker memory. A record past four fifths of its age is refreshed in the background.
  held_record held(sha256_digest const& digest);

  struct fetched {
    decision::fetched fetch = decision::fetched::nothing;
    record_ptr record{};
    bool seen = false;  ///< known valid within the last hour, here or elsewhere, or just created
  };
  /// Looks in Redis, with one command.
  task<fetched> fetch(sha256_digest digest, deadline until);

  struct read_request {
    sha256_digest digest;
    std::optional<steady::time_point> not_before{};  ///< a re-read: the statement must leave after this
    bool seen = false;                               ///< which of `read_rates` the read counts against
    std::string address{};                           ///< addresses share the statements for unseen tokens fairly
  };
  struct read_result {
    decision::read_outcome outcome = decision::read_outcome::failed;
    record_ptr record{};
    steady::time_point sent{};
  };
  /// Reads PostgreSQL; concurrent calls for the same digest share one read.
  task<read_result> read(read_request request, deadline until);

  /// Keeps a record that admission has confirmed (Redis holds its epoch); `publish` writes it to Redis for the other
  /// workers, without waiting.
  void keep(sha256_digest const& digest, record_ptr confirmed, bool publish);
  /// Tells all workers, through Redis, that no such token existed at `sent`. Valid for ten seconds from then, unless
  /// the token is created.
  void keep_unknown(sha256_digest const& digest, steady::time_point sent);

  void forget(std::vector<subject_epoch> const& touched) { cache_.forget(touched); }
  /// Redis was replaced or lost: what it confirmed no longer counts.
  void forget_all() { cache_.forget_all(); }
  /// PostgreSQL has begun a timeline where all epochs are at least this: records below are of one that ended, and are
  /// not believed, wherever they come from.
  void believe_from(std::int64_t lowest_epoch);
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

/// `svc:tok:{<digest in hex>}`
std::string record_key(sha256_digest const& digest);

}  // namespace svc::access
