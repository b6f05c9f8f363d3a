#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/secret.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

struct pg_conn;

namespace svc::app {

/// PostgreSQL refused a statement or cannot be reached. `what()` is PostgreSQL's own message, for the operator only.
class database_error : public std::runtime_error {
 public:
  database_error(std::string const& subject, std::string sqlstate)
      : std::runtime_error(subject), sqlstate_(std::move(sqlstate)) {}

  /// Empty when the connection failed.
  std::string const& sqlstate() const { return sqlstate_; }

 private:
  std::string sqlstate_;
};

/// One blocking connection, for work outside of the workers: migrations, seeding, the check at the start.
/// Never used on a worker's thread.
class database_session {
 public:
  using row = std::vector<std::optional<std::string>>;
  using values = std::vector<std::optional<std::string>>;

  /// Throws `database_error` when the server cannot be reached within `connect_timeout` (whole seconds, at
  /// least 2: libpq's own limit).
  database_session(secret_string const& url, milliseconds connect_timeout);

  /// True if a pooler shares the server's sessions, so that a setting or a lock of this session may be
  /// another client's.
  bool pooled() const { return pooled_; }

  /// Runs one or more statements without parameters; returns the rows of the last one.
  std::vector<row> run(std::string const& sql);
  /// Does the same; returns the number of rows that the last one affected or returned, 0 if its kind counts
  /// none.
  std::int64_t count(std::string const& sql);
  /// Runs one statement; values are in text format.
  std::vector<row> run(std::string const& sql, values const& values);

 private:
  struct close {
    void operator()(pg_conn* c) const;
  };
  std::unique_ptr<pg_conn, close> connection_;
  bool pooled_ = false;
};

}  // namespace svc::app
