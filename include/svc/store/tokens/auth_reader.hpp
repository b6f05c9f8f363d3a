#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/domain/principal.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// The result of one auth read.
struct auth_reading {
  /// Has no entry for an unknown digest, and an empty one for a row that this version cannot read.
  std::unordered_map<sha256_digest, std::optional<token_record>, digest_hash> records{};
  steady::time_point sent{};  ///< when the statement was sent, after the wait for a connection
};

/// The auth read: everything that decides whether stored secrets are good, from one snapshot. Worker-local.
class auth_reader {
 public:
  virtual ~auth_reader() = default;
  /// A record's `read_at` is the statement's time by the database's clock, never later than its snapshot. Expiry
  /// (`expires_at`, `valid_until`) is not checked here but when a record is used. Throws `unavailable`.
  virtual task<auth_reading> read(std::vector<sha256_digest> digests, deadline until) = 0;
  /// The same for sessions, each for the scope of its request; records have the keys of `session_record_key`.
  virtual task<auth_reading> read_sessions(std::vector<presented_session> sessions, deadline until);
};

/// Reads from the primary through the worker's pool, which outlives it.
class postgres_auth_reader final : public auth_reader {
 public:
  explicit postgres_auth_reader(postgres::pool& db, std::chrono::seconds idle = session_times().idle)
      : db_(db), idle_(idle) {}
  task<auth_reading> read(std::vector<sha256_digest> digests, deadline until) override;
  task<auth_reading> read_sessions(std::vector<presented_session> sessions, deadline until) override;

 private:
  postgres::pool& db_;
  std::chrono::seconds idle_;  ///< a session ends if it is not used for this long
};

/// Draws the time for which a record is used without another read: 30 s, spread by 10 % in both directions, so that
/// records read together do not all expire together.
std::int64_t draw_record_age();

}  // namespace svc::store
