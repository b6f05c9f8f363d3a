#pragma once

#include "support/run_task.hpp"
#include "svc/core/result.hpp"
#include "svc/postgres/pool.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace svc::test {

class private_postgres;

/// A separate database with the whole schema, and a pool that logs in like the service: as an ordinary member of
/// svc_service. The binary has one server; the schema is applied once and copied.
struct migrated_database {
  migrated_database();
  migrated_database(migrated_database const&) = delete;

  static deadline soon() { return deadline::after(std::chrono::seconds(20)); }

  template <class T>
  T wait(task<T> content) {
    return run_task(io, std::move(content));
  }
  postgres::outcome<postgres::rows> run(postgres::query q) { return wait(pool.run(std::move(q), soon())); }
  postgres::rows must(postgres::query q) { return run(std::move(q)).value(); }
  /// The first column of the only row.
  std::int64_t number(postgres::query q) { return must(std::move(q)).front().integer(0); }

  /// As the tables' owner, several statements at once.
  void as_owner(std::string const& sql) const;
  /// The server of all of them, for tests that end it; it runs again when they are over.
  static private_postgres& of_all();
  /// Connection string of the service's login.
  std::string url() const;

  std::string name;
  asio::io_context io{1};
  postgres::pool pool;
};

}  // namespace svc::test
