#pragma once

#include "support/private_postgres.hpp"
#include "support/run_task.hpp"
#include "svc/core/result.hpp"
#include "svc/postgres/pool.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace svc::test {

/// Runs the loop until `condition` holds; false if it does not within `limit`.
inline bool run_until(asio::io_context& io, std::function<bool()> const& condition, milliseconds limit) {
  auto const end = steady::now() + limit;
  io.restart();
  while (!condition() && steady::now() < end) io.run_one_for(milliseconds(10));
  return condition();
}

/// One server for the binary; each case has its own pool and an empty table `item`.
inline private_postgres& server() {
  static private_postgres postgres("max_connections = 40");
  return postgres;
}

struct database {
  explicit database(postgres::settings settings = {}, std::function<void(bool)> on_change = {})
      : pool(io, at_server(std::move(settings)), std::move(on_change)) {
    pool.start();
    must({{"drop", "DROP TABLE IF EXISTS item"}});
    must({{"create",
           "CREATE TABLE item (id int8 CONSTRAINT item_key PRIMARY KEY, parent int8 CONSTRAINT item_parent "
           "REFERENCES item, label text CONSTRAINT item_label CHECK (label <> 'bad'))"}});
  }

  static postgres::settings at_server(postgres::settings settings) {
    settings.url = secret_string(server().url());
    return settings;
  }
  static deadline soon() { return deadline::after(std::chrono::seconds(10)); }

  template <class T>
  T wait(task<T> work) {
    return run_task(io, std::move(work));
  }
  postgres::outcome<postgres::rows> run(postgres::query q) { return wait(pool.run(std::move(q), soon())); }
  postgres::rows must(postgres::query q) { return run(std::move(q)).value(); }
  std::int64_t count() { return must({{"count", "SELECT count(*) FROM item"}}).front().integer(0); }

  /// Runs the worker until `condition` holds; false if it does not within `limit`.
  bool until(std::function<bool()> const& condition, milliseconds limit = milliseconds(5000)) {
    return run_until(io, condition, limit);
  }

  asio::io_context io{1};
  postgres::pool pool;
};

/// The row 1 of `item`, locked by a session of its own until it is released.
class locked_row {
 public:
  explicit locked_row(database& database)
      : locker_(aside_, database::at_server({.size = 1, .idle_in_transaction = std::chrono::seconds(30)})) {
    database.must({{"insert_locked", "INSERT INTO item (id, label) VALUES (1, 'good')"}});
    locker_.start();
    lock_.emplace(run_task(aside_, locker_.begin(database::soon())));
    REQUIRE(run_task(aside_, lock_->run(postgres::query{{"lock", "SELECT 1 FROM item WHERE id = 1 FOR UPDATE"}}))
                .has_value());
  }
  locked_row(locked_row const&) = delete;
  locked_row& operator=(locked_row const&) = delete;

  void release() {
    REQUIRE(run_task(aside_, lock_->commit()).has_value());
    lock_.reset();
  }

 private:
  asio::io_context aside_{1};
  postgres::pool locker_;
  std::optional<postgres::unit_of_work> lock_{};
};

inline postgres::query insert(std::int64_t id, std::string const& label = "good") {
  return {{"insert", "INSERT INTO item (id, label) VALUES ($1, $2)"}, postgres::parameters(id, label)};
}

}  // namespace svc::test
