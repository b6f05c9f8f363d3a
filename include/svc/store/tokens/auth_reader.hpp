#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/domain/principal.hpp"

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
};

/// Reads from the primary through the worker's pool, which outlives it.
class postgres_auth_reader final : public auth_reader {
 public:
  explicit postgres_auth_reader(postgres::pool& db) : db_(db) {}
  task<auth_reading> read(std::vector<sha256_digest> digests, deadline until) override;

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
