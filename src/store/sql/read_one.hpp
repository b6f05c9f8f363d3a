#pragma once

#include "store/sql/settled.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

#include <utility>

namespace svc::store {

/// The one row that `ask` finds, as `read` takes it from its columns from 0 on. not_found.
template <class T, class Read>
task<result<T>> read_one(postgres::pool& db, postgres::query ask, Read read, deadline until) {
  postgres::rows const found = settled(co_await db.run(std::move(ask), until));
  if (found.empty()) co_return errc::not_found;
  co_return read(found.front(), 0);
}

}  // namespace svc::store
