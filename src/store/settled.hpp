#pragma once

#include "store/write_refusal.hpp"
#include "svc/core/result.hpp"
#include "svc/postgres/pool.hpp"

#include <utility>

namespace svc::store {

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

}  // namespace svc::store
