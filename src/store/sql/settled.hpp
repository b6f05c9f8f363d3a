#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace svc::store {

/// SQLSTATE of `assert_writer` (schema V007); its message is the code.
inline constexpr std::string_view writer_refused = "SV401";

/// The errc of a code that `writer_refusal` gives; invalid_token for any other.
errc refusal_named(std::string_view code);

/// A refusal that input cannot cause. A transaction that the server ended to break a deadlock may simply be tried
/// again: `unavailable`. Anything else is a bug.
[[noreturn]] inline void reject(postgres::server_error const& why) {
  if (why.sqlstate == writer_refused) throw write_refused(refusal_named(why.message));
  if (why.serialization_failure()) throw unavailable("PostgreSQL ended the transaction");
  postgres::throw_exception_from_error(why, BOOST_CURRENT_LOCATION);
}

/// The rows of statements that input cannot make fail.
template <class T>
T settled(postgres::outcome<T> done) {
  if (!done) reject(done.error());
  return std::move(done).value();
}

/// The end of a change that input cannot make fail: its audit row, then what now stands, then COMMIT. Gives the rows
/// of `reread`.
inline task<postgres::rows> commit_change(postgres::unit_of_work& work, std::vector<postgres::query> changes,
                                          postgres::query audited, postgres::query reread) {
  changes.push_back(std::move(audited));
  changes.push_back(std::move(reread));
  std::vector<postgres::rows> done = settled(co_await work.commit(std::move(changes)));
  co_return std::move(done.back());
}

/// The one row that `ask` finds, as `read` takes it from its columns from 0 on. not_found.
template <class T, class Read>
task<result<T>> read_one(postgres::pool& db, postgres::query ask, Read read, deadline until) {
  postgres::rows const found = settled(co_await db.run(std::move(ask), until));
  if (found.empty()) co_return errc::not_found;
  co_return read(found.front(), 0);
}

}  // namespace svc::store
