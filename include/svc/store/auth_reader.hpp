#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/domain/principal.hpp"

#include <optional>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// The auth read: what a stored secret is worth, all of it in one snapshot. Worker-local.
class auth_reader {
 public:
  virtual ~auth_reader() = default;
  /// Nothing when the digest is unknown. `read_at` is the database's time of the statement, not later than its
  /// snapshot. Expiry (`expires_at`, `valid_until`) is left to the moment of use.
  virtual task<std::optional<token_record>> read(sha256_digest digest, deadline until) = 0;
};

/// Reads from the primary through the worker's pool, which outlives it.
class postgres_auth_reader final : public auth_reader {
 public:
  explicit postgres_auth_reader(postgres::pool& db) : db_(db) {}
  task<std::optional<token_record>> read(sha256_digest digest, deadline until) override;

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
