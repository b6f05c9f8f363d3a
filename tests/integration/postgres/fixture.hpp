#pragma once

#include "support/private_postgres.hpp"
#include "support/run_task.hpp"
#include "svc/core/result.hpp"
#include "svc/postgres/pool.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace svc::test {

/// One server for the binary; each case has its own pool and an empty table `item`.
private_postgres& server();

struct database {
  explicit database(postgres::settings how = {}, std::function<void(bool)> on_change = {})
      : pool(io, at_server(std::move(how)), std::move(on_change)) {
    pool.start();
    must({{"drop", "DROP TABLE IF EXISTS item"}});
    must({{"create",
           "CREATE TABLE item (id int8 CONSTRAINT item_key PRIMARY KEY, parent int8 CONSTRAINT item_parent "
           "REFERENCES item, label text CONSTRAINT item_label CHECK (label <> 'bad'))"}});
  }

  static postgres::settings at_server(postgres::settings how) {
    how.url = secret_string(server().url());
    return how;
  }
  static deadline soon() { return deadline::after(std::chrono::seconds(10)); }

  template <class T>
  T wait(task<T> what) {
    return run_task(io, std::move(what));
  }
  postgres::outcome<postgres::rows> run(postgres::query q) { return wait(pool.run(std::move(q), soon())); }
  postgres::rows must(postgres::query q) { return run(std::move(q)).value(); }
  std::int64_t count() { return must({{"count", "SELECT count(*) FROM item"}}).front().integer(0); }

  /// Runs the worker until `condition` holds; false if it does not within `limit`.
  bool until(std::function<bool()> const& condition, milliseconds limit = milliseconds(5000)) {
    auto const end = steady::now() + limit;
    io.restart();
    while (!condition() && steady::now() < end) io.run_one_for(milliseconds(10));
    return condition();
  }

  asio::io_context io{1};
  postgres::pool pool;
};

inline postgres::query insert(std::int64_t id, std::string const& label = "good") {
  return {{"insert", "INSERT INTO item (id, label) VALUES ($1, $2)"}, postgres::parameters(id, label)};
}

}  // namespace svc::test
